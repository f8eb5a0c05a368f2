package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"maps"

	"rialto/a2a"
)

// part is a part of any generation. Pointers and raw values tell an empty
// member from a missing one.
type part struct {
	Text *string         `json:"text"`
	Data json.RawMessage `json:"data"`

	// Files before 1.0.
	File *file `json:"file"`

	// Files in 1.0.
	Raw       *string `json:"raw"`
	URL       *string `json:"url"`
	Filename  string  `json:"filename"`
	MediaType string  `json:"mediaType"`

	Metadata metadata `json:"metadata"`
}

// file is the file of a part before 1.0: as JSON-RPC spells it, and as the
// protocol buffers of 0.3 do.
type file struct {
	Name     string  `json:"name"`
	MimeType string  `json:"mimeType"`
	Bytes    *string `json:"bytes"`
	URI      *string `json:"uri"`

	Data          *string `json:"data"` // in the samples of 0.1
	FileWithBytes *string `json:"fileWithBytes"`
	FileWithURI   *string `json:"fileWithUri"`
}

// errNoContent is the error for a part that we cannot read.
var errNoContent = errors.New("it holds no text, file or data")

// toDomain returns the part that p is.
func (p *part) toDomain() (a2a.Part, error) {
	out := a2a.Part{
		Filename:  p.Filename,
		MediaType: p.MediaType,
		Metadata:  a2a.Metadata(p.Metadata),
	}
	raw := p.Raw
	url := p.URL
	if f := p.File; f != nil {
		out.Filename = f.Name
		out.MediaType = f.MimeType
		raw, url = cmp.Or(f.Bytes, f.FileWithBytes, f.Data), cmp.Or(f.URI, f.FileWithURI)
	}

	switch {
	case p.Text != nil:
		out.Content = a2a.Text(*p.Text)
	case raw != nil:
		b, err := decodeBase64(*raw)
		if err != nil {
			return out, errors.New("its bytes are not in base64")
		}
		out.Content = a2a.Raw(b)
	case url != nil:
		out.Content = a2a.URL(*url)
	case p.Data != nil:
		out.Content = a2a.Data(p.Data)
		unwrapValue(&out)
	default:
		return out, errNoContent
	}

	return out, nil
}

// parts is a list of parts. A part of a kind that we do not know becomes a data
// part that holds the whole of it: one part must not fail the whole task.
type parts []anyPart

// anyPart is a part as it was read, or what is wrong with it.
type anyPart struct {
	value a2a.Part
	err   error
	raw   json.RawMessage // the whole of it where err is errNoContent
}

func (p *anyPart) UnmarshalJSON(b []byte) error {
	var in part
	p.err = unmarshal(b, &in)
	if p.err == nil {
		p.value, p.err = in.toDomain()
	}
	if errors.Is(p.err, errNoContent) {
		p.raw = bytes.Clone(b)
	}
	return nil
}

func (ps parts) toDomain(keepUnknown bool) ([]a2a.Part, error) {
	return decodeEach("parts", ps, func(_ int, p anyPart) (a2a.Part, error) {
		if keepUnknown && errors.Is(p.err, errNoContent) {
			return unknownPart(p.raw), nil
		}
		return p.value, p.err
	})
}

func unknownPart(raw json.RawMessage) a2a.Part {
	return a2a.Part{Content: a2a.Data(raw), MediaType: "application/json"}
}

// wrappedKey marks a data part that holds {"value": x}, because x is not an object and generations
// before 1.0 allow nothing else. a2a-go writes and reads the same mark.
const wrappedKey = "data_part_compat"

// wrapValue returns data and metadata for a generation whose data is an object.
func wrapValue(d a2a.Data, m a2a.Metadata) (json.RawMessage, a2a.Metadata) {
	if isObject(json.RawMessage(d)) {
		return json.RawMessage(d), m
	}
	if len(d) == 0 {
		d = a2a.Data("null")
	}

	m = maps.Clone(m)
	if m == nil {
		m = a2a.Metadata{}
	}

	m[wrappedKey] = true
	return append(append([]byte(`{"value":`), d...), '}'), m
}

func unwrapValue(p *a2a.Part) {
	if p.Metadata[wrappedKey] != true {
		return
	}

	var w struct {
		Value json.RawMessage `json:"value"`
	}
	if json.Unmarshal(json.RawMessage(p.Content.(a2a.Data)), &w) != nil || w.Value == nil {
		return
	}

	p.Content = a2a.Data(w.Value)
	delete(p.Metadata, wrappedKey)
	if len(p.Metadata) == 0 {
		p.Metadata = nil
	}
}

// isObject reports whether b begins an object.
func isObject(b []byte) bool {
	for _, c := range b {
		switch c {
		case ' ', '\t', '\r', '\n':
		default:
			return c == '{'
		}
	}
	return false
}
