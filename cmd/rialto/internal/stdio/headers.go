package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"

	gomcp "github.com/mark3labs/mcp-go/mcp"
)

// toolHeaders knows which arguments of tools a client has to repeat in headers, because their
// schemas say so with x-mcp-header (2026-07-28, basic/transports/streamable-http).
type toolHeaders struct {
	mu    sync.Mutex
	tools map[string]*gomcp.Tool // those that ask for headers
}

// setHeaders repeats what is in a request of the era of 2026-07-28.
func (t *toolHeaders) setHeaders(h http.Header, m *message) {
	_, version := m.meta()
	h.Set(gomcp.HeaderProtocolVersion, version)
	for name, value := range gomcp.StandardHeaders(version, gomcp.MCPMethod(m.method), m.params) {
		h.Set(name, value)
	}

	var params struct {
		Name   string `json:"name"`
		TaskID string `json:"taskId"`
	}
	_ = json.Unmarshal(m.params, &params) // else there is nothing to repeat
	switch m.method {
	case "tasks/get", "tasks/update", "tasks/cancel": // SEP-2663, "Routing Headers"
		name, _ := gomcp.EncodeHeaderValue(params.TaskID)
		h.Set(gomcp.HeaderName, name)
	case "tools/call":
		t.mu.Lock()
		defer t.mu.Unlock()
		if tool := t.tools[params.Name]; tool != nil {
			for name, value := range gomcp.GenerateParamHeaders(tool, m.params) {
				h.Set(name, value)
			}
		}
	}
}

// watch takes the tools of a list. It returns the list with paths where p has files and, since
// 2026-07-28, without tools whose x-mcp-header is invalid: a client must not call them.
func (t *toolHeaders) watch(p *Proxy, m *message, modern bool) *message {
	marked := modern && bytes.Contains(m.result, []byte("x-mcp-header"))
	if !marked && p.Files == nil {
		return m
	}

	var result map[string]json.RawMessage
	var tools []json.RawMessage
	if json.Unmarshal(m.result, &result) != nil || json.Unmarshal(result["tools"], &tools) != nil {
		return m
	}

	valid := make([]json.RawMessage, 0, len(tools))
	for _, raw := range tools {
		var err error
		if marked {
			err = t.take(raw)
		}
		if err != nil {
			p.log("a tool is left out of the list: %v", err)
			continue
		}
		valid = append(valid, p.offer(raw))
	}

	same := func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }
	if slices.EqualFunc(valid, tools, same) {
		return m
	}

	list, err := json.Marshal(valid)
	if err != nil {
		return m
	}

	result["tools"] = list
	changed := *m
	changed.result, err = json.Marshal(result)
	if err != nil {
		return m
	}

	changed.raw = withID(&changed, m.id)
	return &changed
}

// take takes a tool, or returns why its x-mcp-header is invalid.
func (t *toolHeaders) take(raw json.RawMessage) error {
	var listed struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"inputSchema"`
	}
	if err := json.Unmarshal(raw, &listed); err != nil {
		return err
	}
	tool := gomcp.NewToolWithRawSchema(listed.Name, "", listed.Schema)
	if err := gomcp.ValidateParamHeaderAnnotations(&tool); err != nil {
		return fmt.Errorf("%s: %w", listed.Name, err)
	}

	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tools == nil {
		t.tools = map[string]*gomcp.Tool{}
	}

	delete(t.tools, listed.Name)
	if len(gomcp.ExtractParamHeaderBindings(&tool)) > 0 {
		t.tools[listed.Name] = &tool
	}

	return nil
}

// maxPages bounds a list of tools.
const maxPages = 50

// learn lists the tools, because the headers of a call did not match its body: the host may have
// kept a list of an earlier process.
func (t *toolHeaders) learn(ctx context.Context, p *Proxy, c *call) error {
	params := map[string]any{}
	for range maxPages {
		r, err := p.post(ctx, p.own(c, "tools/list", params))
		if err != nil {
			return fmt.Errorf("listing the tools: %w", err)
		}
		answer, err := r.answer()
		if err != nil {
			return fmt.Errorf("listing the tools: %w", err)
		}
		t.watch(p, answer, true)
		var page struct {
			Next json.RawMessage `json:"nextCursor"`
		}
		if json.Unmarshal(answer.result, &page) != nil || page.Next == nil {
			return nil
		}
		params["cursor"] = page.Next
	}

	return nil
}
