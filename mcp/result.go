package mcp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/jsonrpc"
)

// Result is what a tool answers.
type Result struct {
	Content []Content
	// Structured is the same as one JSON value, of the tool's OutputSchema.
	// Clients before 2026-07-28 are shown it only if it is an object.
	Structured any
	// IsError says that the tool was not able to do it, and Content says why.
	IsError bool
	Meta    map[string]any
	// Task is a task that was begun, instead of everything else. It has been
	// put into Server.Tasks; see Call.TakesTask.
	Task *Task
}

// Content is one piece of a Result.
type Content = gomcp.Content

// Text returns s as content.
func Text(s string) Content { return gomcp.NewTextContent(s) }

// Image returns the picture in data as content.
func Image(data []byte, mime string) Content {
	return gomcp.NewImageContent(base64.StdEncoding.EncodeToString(data), mime)
}

// Audio returns the sound in data as content.
func Audio(data []byte, mime string) Content {
	return gomcp.NewAudioContent(base64.StdEncoding.EncodeToString(data), mime)
}

// Blob returns the file in data as content that the client need not fetch. The
// uri names it.
func Blob(uri, mime string, data []byte) Content {
	return gomcp.NewEmbeddedResource(gomcp.BlobResourceContents{
		URI: uri, MIMEType: mime, Blob: base64.StdEncoding.EncodeToString(data),
	})
}

// Document returns text, a file of the given type, as content that the client
// need not fetch. The uri names it.
func Document(uri, mime, text string) Content {
	return gomcp.NewEmbeddedResource(gomcp.TextResourceContents{URI: uri, MIMEType: mime, Text: text})
}

// Link returns as content where something can be fetched.
func Link(uri, name, mime string) Content { return link{gomcp.NewResourceLink(uri, name, "", mime)} }

// link leaves out what it does not know, which gomcp.ResourceLink writes as
// empty strings.
type link struct{ gomcp.ResourceLink }

// MarshalJSON writes the members of a resource_link that have a value.
func (l link) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type     string `json:"type"`
		URI      string `json:"uri"`
		Name     string `json:"name"`
		MIMEType string `json:"mimeType,omitempty"`
	}{l.Type, l.URI, l.Name, l.MIMEType})
}

// ErrorResult returns a result that tells the model what went wrong.
func ErrorResult(text string) *Result {
	return &Result{Content: []Content{Text(text)}, IsError: true}
}

// InputError returns a result that tells the model what is wrong with its
// arguments. Such errors are results, not protocol errors, so that the model
// sees them and can try again (SEP-1303, in revision 2025-11-25).
func InputError(format string, args ...any) *Result {
	return ErrorResult(fmt.Sprintf(format, args...))
}

// render returns the JSON of a result in the given revision. Info is the JSON
// of the server's own description, for the revisions that want it in each
// result.
func (r *Result) render(revision string, info json.RawMessage) (json.RawMessage, error) {
	structured, err := r.structured(revision)
	if err != nil {
		return nil, err
	}
	b := append(make([]byte, 0, 256+len(info)+len(structured)+r.textLen()), '{')
	if modern(revision) {
		b = append(b, `"resultType":"complete",`...)
	}
	b = append(b, `"content":[`...)
	for i, c := range r.Content {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendContent(b, downgrade(c, revision)); err != nil {
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
	if b, err = appendMeta(b, r.Meta, revision, info); err != nil {
		return nil, err
	}
	return append(b, '}'), nil
}

// Size returns about how many bytes of content the result has.
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

// textLen returns how long the plain text is: mostly that is how long the result
// will be, or a part of it.
func (r *Result) textLen() (n int) {
	for _, c := range r.Content {
		if t, ok := c.(gomcp.TextContent); ok {
			n += len(t.Text)
		}
	}
	return n
}

// words returns the plain text.
func (r *Result) words() string {
	all := make([]string, 0, len(r.Content))
	for _, c := range r.Content {
		if t, ok := c.(gomcp.TextContent); ok {
			all = append(all, t.Text)
		}
	}
	return strings.Join(all, "\n")
}

// appendContent appends the JSON of c. Plain text, which most content is, is
// written without reflection and without escapes for HTML.
func appendContent(b []byte, c Content) ([]byte, error) {
	if t, ok := c.(gomcp.TextContent); ok && t.Annotations == nil && t.Meta == nil {
		b = jsonrpc.AppendString(append(b, `{"type":"text","text":`...), t.Text)
		return append(b, '}'), nil
	}
	item, err := json.Marshal(c)
	return append(b, item...), err
}

// structured returns structuredContent, nil if there is none. Before 2026-07-28 it
// had to be an object (SEP-2106 lifted that).
func (r *Result) structured(revision string) ([]byte, error) {
	if r.Structured == nil {
		return nil, nil
	}
	v, err := json.Marshal(r.Structured)
	if err != nil {
		return nil, fmt.Errorf("structured content: %w", err)
	}
	if !modern(revision) && v[0] != '{' {
		return nil, nil
	}
	return v, nil
}

func appendMeta(b []byte, meta map[string]any, revision string, info json.RawMessage) ([]byte, error) {
	if !modern(revision) && len(meta) == 0 {
		return b, nil
	}
	b = append(b, `,"_meta":{`...)
	if modern(revision) {
		b = append(append(b, `"`+gomcp.MetaKeyServerInfo+`":`...), info...)
	}
	if len(meta) > 0 {
		m, err := json.Marshal(meta)
		if err != nil {
			return nil, fmt.Errorf("meta: %w", err)
		}
		if modern(revision) {
			b = append(b, ',')
		}
		return append(b, m[1:]...), nil // without its opening brace
	}
	return append(b, '}'), nil
}

// downgrade returns c in a form that the revision knows: sound came with
// 2025-03-26 and links with 2025-06-18.
func downgrade(c Content, revision string) Content {
	if revision >= Revision20250618 {
		return c
	}
	switch c := c.(type) {
	case link:
		return Text(c.Name + ": " + c.URI)
	case gomcp.AudioContent:
		if revision < Revision20250326 {
			return gomcp.NewEmbeddedResource(gomcp.BlobResourceContents{
				URI: "data:" + c.MIMEType, MIMEType: c.MIMEType, Blob: c.Data,
			})
		}
	}
	return c
}

func modern(revision string) bool { return gomcp.IsModernProtocol(revision) }
