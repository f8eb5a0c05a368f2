package view

import (
	"bytes"
	"encoding/json"

	"rialto/a2a"
	"rialto/bridge/sanitize"
)

// Kind tells what a Piece is.
type Kind string

// The kinds of pieces.
const (
	Empty Kind = ""     // an artifact without parts
	Text  Kind = "text" // a text, or a JSON value that is too long to be shown as one
	Data  Kind = "data" // a JSON value
	Link  Kind = "link" // a file by its address
	File  Kind = "file" // a file by its bytes
)

// Piece is what a reader sees at once: a part of an artifact or of a message, or the parts of an
// artifact that form one text. Names and texts are clean; texts are cleaned when they are read,
// because a reader of one page does not pay for the others.
type Piece struct {
	Kind      Kind
	Name      string // of a file
	MediaType string // "" if the agent gave none
	Size      int    // bytes of a File
	Gone      bool   // there was no room to keep the File

	Ref      PartRef       // of the first part
	Artifact *a2a.Artifact // nil for a part of a message
	Number   int           // in Pieces; share links name it

	content a2a.Content
}

// JSONType is the media type of data.
const JSONType = "application/json"

func newPiece(p *a2a.Part) Piece {
	out := Piece{
		Name:      sanitize.Label(p.Filename),
		MediaType: sanitize.Label(p.MediaType),
		content:   p.Content,
	}
	switch c := p.Content.(type) {
	case a2a.Text:
		out.Kind = Text
	case a2a.Data:
		out.Kind = Data
		if tooLong(c) {
			out.Kind = Text
			out.MediaType = JSONType
		}
	case a2a.URL:
		out.Kind = Link
	case a2a.Raw:
		out.Kind = File
		out.Size = len(c)
	}

	return out
}

// Text returns the words of a piece: a text, JSON, or an address that is no link.
func (p *Piece) Text() string {
	switch c := p.content.(type) {
	case a2a.Text:
		return sanitize.Text(string(c))
	case a2a.Data:
		return string(sanitize.JSON(c))
	case a2a.URL:
		if sanitize.Link(string(c)) == "" {
			return sanitize.Text(string(c))
		}
	}
	return ""
}

// Indented returns JSON as people read it.
func Indented(data string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(data), "", "  ") != nil {
		return data
	}
	return out.String()
}

// Data returns the value of a piece of the kind Data.
func (p *Piece) Data() json.RawMessage {
	data, _ := p.content.(a2a.Data)
	return sanitize.JSON(data)
}

// Link returns the address of a piece of the kind Link; "" if it could not be opened, or would run a
// script. The address is then in Text.
func (p *Piece) Link() string {
	address, _ := p.content.(a2a.URL)
	return sanitize.Link(string(address))
}

// Bytes returns the content of a piece of the kind File.
func (p *Piece) Bytes() []byte {
	file, _ := p.content.(a2a.Raw)
	return file
}

// FromText returns a piece that is a text.
func FromText(text string) Piece { return Piece{Kind: Text, content: a2a.Text(text)} }
