package mcp

import (
	"encoding/base64"
	"encoding/json"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/jsonrpc"
	"rialto/mcp/internal/revision"
)

// Content is one piece of a Result.
type Content = gomcp.Content

// Text returns s as content.
func Text(s string) Content { return gomcp.NewTextContent(s) }

// Image returns an image as content.
func Image(data []byte, mime string) Content {
	return gomcp.NewImageContent(base64.StdEncoding.EncodeToString(data), mime)
}

// Audio returns a recording as content.
func Audio(data []byte, mime string) Content {
	return gomcp.NewAudioContent(base64.StdEncoding.EncodeToString(data), mime)
}

// Blob returns the file in data as content that the client need not fetch. The uri names it.
func Blob(uri, mime string, data []byte) Content {
	return gomcp.NewEmbeddedResource(gomcp.BlobResourceContents{
		URI: uri, MIMEType: mime, Blob: base64.StdEncoding.EncodeToString(data),
	})
}

// Document returns text, a file of the given type, as content that the client need not
// fetch. The uri names it.
func Document(uri, mime, text string) Content {
	return gomcp.NewEmbeddedResource(
		gomcp.TextResourceContents{URI: uri, MIMEType: mime, Text: text},
	)
}

// Link returns a link as content.
func Link(uri, name, mime string) Content {
	return link{gomcp.NewResourceLink(uri, name, "", mime)}
}

// link omits unknown members, which gomcp.ResourceLink writes as empty strings.
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

// appendContent appends the JSON of c. Plain text, the most common content, is written
// without reflection and without escapes for HTML.
func appendContent(b []byte, c Content) ([]byte, error) {
	if t, ok := c.(gomcp.TextContent); ok && t.Annotations == nil && t.Meta == nil {
		b = jsonrpc.AppendString(append(b, `{"type":"text","text":`...), t.Text)
		return append(b, '}'), nil
	}
	item, err := json.Marshal(c)
	return append(b, item...), err
}

// downgrade returns c in a form that the revision has.
func downgrade(c Content, rev string) Content {
	switch c := c.(type) {
	case link:
		if !revision.HasResourceLinks(rev) {
			return Text(c.Name + ": " + c.URI)
		}
	case gomcp.AudioContent:
		if !revision.HasAudio(rev) {
			return gomcp.NewEmbeddedResource(gomcp.BlobResourceContents{
				URI: "data:" + c.MIMEType, MIMEType: c.MIMEType, Blob: c.Data,
			})
		}
	}
	return c
}
