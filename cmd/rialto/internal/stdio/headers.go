package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/jsonrpc"
)

// toolHeaders knows which arguments of tools a client has to repeat in headers, because their
// schemas say so with x-mcp-header (2026-07-28, basic/transports/streamable-http).
type toolHeaders struct {
	mu    sync.Mutex
	tools map[string]*gomcp.Tool // those that ask for headers
	lists int
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

// watch takes the tools of a list. It returns the list without tools whose x-mcp-header is invalid:
// a client must not call them.
func (t *toolHeaders) watch(p *Proxy, m *message) *message {
	if !bytes.Contains(m.result, []byte("x-mcp-header")) {
		return m
	}

	var result map[string]json.RawMessage
	var tools []json.RawMessage
	if json.Unmarshal(m.result, &result) != nil || json.Unmarshal(result["tools"], &tools) != nil {
		return m
	}

	valid := make([]json.RawMessage, 0, len(tools))
	for _, raw := range tools {
		err := t.take(raw)
		if err != nil {
			p.log("a tool is left out of the list: %v", err)
			continue
		}
		valid = append(valid, raw)
	}

	if len(valid) == len(tools) {
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
	meta, _ := c.meta()
	cursor := json.RawMessage(nil)
	for range maxPages {
		params := append([]byte(`{"_meta":`), meta...)
		if cursor != nil {
			params = append(append(params, `,"cursor":`...), cursor...)
		}
		t.mu.Lock()
		t.lists++
		id := jsonrpc.StringID(fmt.Sprint("rialto-tools-", t.lists))
		t.mu.Unlock()
		request := &jsonrpc.Request{ID: id, Method: "tools/list", Params: append(params, '}')}
		h := http.Header{}
		t.setHeaders(h, &message{method: request.Method, params: request.Params})
		_, answer, err := p.ask(ctx, request, h)
		if err != nil {
			return fmt.Errorf("listing the tools: %w", err)
		}
		t.watch(p, answer)
		var page struct {
			Next json.RawMessage `json:"nextCursor"`
		}
		if json.Unmarshal(answer.result, &page) != nil || page.Next == nil {
			return nil
		}
		cursor = page.Next
	}

	return nil
}
