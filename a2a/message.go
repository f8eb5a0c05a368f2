package a2a

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Role tells who speaks.
type Role string

// The two roles of every generation.
const (
	RoleUser  Role = "user"
	RoleAgent Role = "agent"
)

// Metadata is a JSON object that travels with another. Its author defines its keys.
type Metadata map[string]any

// Message is one turn of a conversation.
type Message struct {
	ID        string   `json:"messageId"`
	ContextID string   `json:"contextId,omitempty"`
	TaskID    TaskID   `json:"taskId,omitempty"` // the task that this turn continues, or belongs to
	Role      Role     `json:"role"`
	Parts     []Part   `json:"parts"`
	Metadata  Metadata `json:"metadata,omitempty"`

	ReferenceTaskIDs []TaskID `json:"referenceTaskIds,omitempty"`
	Extensions       []string `json:"extensions,omitempty"`
}

// Text returns the text parts of m, one a line. A nil message has none.
func (m *Message) Text() string {
	if m == nil {
		return ""
	}
	return joinText(m.Parts)
}

// Part is one piece of content: text, bytes, a link to bytes, or data.
type Part struct {
	Content   Content // never nil
	Filename  string
	MediaType string
	Metadata  Metadata
}

// IsFile reports whether the part is a file, by content or by address.
func (p Part) IsFile() bool {
	switch p.Content.(type) {
	case Raw, URL:
		return true
	}
	return false
}

// Content is what a Part carries: a Text, Raw, URL or Data.
type Content interface{ isContent() }

// Text is plain or marked-up text; Part.MediaType tells which.
type Text string

// Raw is the bytes of a file.
type Raw []byte

// URL is where the bytes of a file can be had.
type URL string

// Data is one JSON value, kept as it came. Generations before 1.0 allow only an object.
type Data json.RawMessage

func (Text) isContent() {}
func (Raw) isContent()  {}
func (URL) isContent()  {}
func (Data) isContent() {}

// TextPart returns a part that holds s.
func TextPart(s string) Part { return Part{Content: Text(s)} }

// DataPart returns a part that holds v as JSON. It fails when v has no JSON form.
func DataPart(v any) (Part, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return Part{}, fmt.Errorf("encoding a data part: %w", err)
	}
	return Part{Content: Data(b), MediaType: "application/json"}, nil
}

// storedPart is the JSON form of a Part: one content member is present.
type storedPart struct {
	Text      *string         `json:"text,omitempty"`
	Raw       *[]byte         `json:"raw,omitempty"`
	URL       *string         `json:"url,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
	Filename  string          `json:"filename,omitempty"`
	MediaType string          `json:"mediaType,omitempty"`
	Metadata  Metadata        `json:"metadata,omitempty"`
}

// MarshalJSON encodes p for storage. Data that is not JSON is an error.
func (p Part) MarshalJSON() ([]byte, error) {
	s := storedPart{Filename: p.Filename, MediaType: p.MediaType, Metadata: p.Metadata}
	switch c := p.Content.(type) {
	case Text:
		s.Text = (*string)(&c)
	case Raw:
		if c == nil {
			c = Raw{}
		}
		s.Raw = (*[]byte)(&c)
	case URL:
		s.URL = (*string)(&c)
	case Data:
		s.Data = json.RawMessage(c)
		if len(c) == 0 {
			s.Data = json.RawMessage("null")
		}
	default:
		return nil, errors.New("a part without content")
	}

	return json.Marshal(s)
}

// UnmarshalJSON decodes what MarshalJSON wrote.
func (p *Part) UnmarshalJSON(b []byte) error {
	var s storedPart
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}

	*p = Part{Filename: s.Filename, MediaType: s.MediaType, Metadata: s.Metadata}
	switch {
	case s.Text != nil:
		p.Content = Text(*s.Text)
	case s.Raw != nil:
		p.Content = Raw(*s.Raw)
	case s.URL != nil:
		p.Content = URL(*s.URL)
	case s.Data != nil:
		p.Content = Data(s.Data)
	default:
		return errors.New("a part without content")
	}

	return nil
}

func joinText(parts []Part) string {
	var texts []string
	for _, p := range parts {
		if t, ok := p.Content.(Text); ok {
			texts = append(texts, string(t))
		}
	}
	return strings.Join(texts, "\n")
}
