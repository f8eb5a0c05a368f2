package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/mcp/internal/revision"
)

// Result is what a tool returns.
type Result struct {
	Content []Content
	// Structured is the same as one JSON value, which matches the tool's OutputSchema.
	// Clients before 2026-07-28 get it only if it is an object.
	Structured any
	// IsError says that the tool failed, and Content says why.
	IsError bool
	Meta    map[string]any
	// Task is a task that was begun, instead of everything else. It has been stored in
	// Server.Tasks; see Call.TakesTask.
	Task *Task
}

// ErrorResult returns a result that tells the model what failed.
func ErrorResult(text string) *Result {
	return &Result{Content: []Content{Text(text)}, IsError: true}
}

// InputError returns a result that tells the model what is wrong with its arguments.
// Such errors are results, not protocol errors, so that the model sees them and can try
// again (SEP-1303, in revision 2025-11-25).
func InputError(format string, args ...any) *Result {
	return ErrorResult(fmt.Sprintf(format, args...))
}

// render returns the JSON of a result in the given revision. Info is the server's
// description, for revisions that have it in each result.
func (r *Result) render(rev string, info json.RawMessage) (json.RawMessage, error) {
	structured, err := r.structured(rev)
	if err != nil {
		return nil, err
	}

	b := append(make([]byte, 0, 256+len(info)+len(structured)+r.Size()), '{')
	if revision.Modern(rev) {
		b = append(b, `"resultType":"complete",`...)
	}

	b = append(b, `"content":[`...)
	for i, c := range r.Content {
		if i > 0 {
			b = append(b, ',')
		}
		b, err = appendContent(b, downgrade(c, rev))
		if err != nil {
			return nil, fmt.Errorf("content %d: %w", i, err)
		}
	}

	b = append(b, ']')
	if structured != nil {
		b = append(append(b, `,"structuredContent":`...), structured...)
	}
	if r.IsError {
		b = append(b, `,"isError":true`...)
	}

	b, err = appendMeta(b, r.Meta, rev, info)
	return append(b, '}'), err
}

// Size returns roughly how many bytes of content the result has.
func (r *Result) Size() (n int) {
	for _, c := range r.Content {
		switch c := c.(type) {
		case gomcp.TextContent:
			n += len(c.Text)
		case gomcp.ImageContent:
			n += len(c.Data)
		case gomcp.AudioContent:
			n += len(c.Data)
		case gomcp.EmbeddedResource:
			if blob, ok := c.Resource.(gomcp.BlobResourceContents); ok {
				n += len(blob.Blob)
			}
		}
	}
	return n
}

func (r *Result) text() string {
	all := make([]string, 0, len(r.Content))
	for _, c := range r.Content {
		if t, ok := c.(gomcp.TextContent); ok {
			all = append(all, t.Text)
		}
	}
	return strings.Join(all, "\n")
}

// structured returns structuredContent, nil if there is none. Before 2026-07-28 it has
// to be an object (SEP-2106).
func (r *Result) structured(rev string) ([]byte, error) {
	if r.Structured == nil {
		return nil, nil
	}

	v, err := json.Marshal(r.Structured)
	if err != nil {
		return nil, fmt.Errorf("structured content: %w", err)
	}
	if !revision.Modern(rev) && v[0] != '{' {
		return nil, nil
	}

	return v, nil
}

func appendMeta(b []byte, meta map[string]any, rev string, info json.RawMessage) ([]byte, error) {
	modern := revision.Modern(rev)
	if !modern && len(meta) == 0 {
		return b, nil
	}

	b = append(b, `,"_meta":{`...)
	if modern {
		b = append(append(b, `"`+gomcp.MetaKeyServerInfo+`":`...), info...)
	}
	if len(meta) > 0 {
		object, err := json.Marshal(meta)
		if err != nil {
			return nil, fmt.Errorf("meta: %w", err)
		}
		if modern {
			b = append(b, ',')
		}
		b = append(b, object[1:len(object)-1]...)
	}

	return append(b, '}'), nil
}
