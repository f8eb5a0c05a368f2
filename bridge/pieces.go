package bridge

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"rialto/a2a"
)

// place says where in a task a part is, in words that hold when more is added to
// the task: a part of an artifact by the numbers of both; of a version that was
// replaced, as Past.part counts; or of a message, which is the latest if it has no ID.
type place struct {
	Version  int    `json:"v,omitempty"` // of what was replaced; 0 is what there is now
	Artifact int    `json:"a,omitempty"`
	Number   int    `json:"p"`
	Said     bool   `json:"s,omitempty"` // in a message
	Message  string `json:"m,omitempty"` // the ID of that message
}

// piece is what of a task is shown at once: a part of an artifact, or the parts that
// are one text. An artifact without parts is one piece without content.
type piece struct {
	artifact *a2a.Artifact // nil for a part of a message
	place                  // of the first part
	a2a.Part
}

// maxData is how long a JSON value may be to be shown as one. A longer one
// fits no page, and is shown as the text that it is.
const maxData = maxText / 2

// shape makes a piece of a part.
func shape(a *a2a.Artifact, at place, p a2a.Part) piece {
	if d, ok := p.Content.(a2a.Data); ok && cost(string(d)) > maxData {
		p.Content, p.MediaType = a2a.Text(d), jsonType
	}
	return piece{a, at, p}
}

// pieces lists what a task has produced, in its order.
func pieces(t *a2a.Task) []piece {
	var out []piece
	for i := range t.Artifacts {
		out = append(out, piecesOf(&t.Artifacts[i], i)...)
	}
	return out
}

// piecesOf lists those of one artifact, the nth.
func piecesOf(a *a2a.Artifact, n int) (out []piece) {
	if len(a.Parts) == 0 {
		return []piece{{artifact: a, place: place{Artifact: n}}}
	}
	for from, to := 0, 0; from < len(a.Parts); from = to {
		var p a2a.Part
		p, to = joined(a.Parts, from)
		out = append(out, shape(a, place{Artifact: n, Number: from}, p))
	}
	return out
}

// joined returns the part that begins at from, and where the next one does. Many
// agents stream a text in chunks, which A2A keeps as parts of their own: nobody wants
// to read words and syllables one by one, or to find them so. Texts without a name or
// type are taken for chunks of one if the spaces between them are theirs; texts that
// are each complete neither begin nor end with any.
func joined(parts []a2a.Part, from int) (p a2a.Part, to int) {
	p, to = parts[from], from+1
	if !chunk(p) {
		return p, to
	}
	for to < len(parts) && chunk(parts[to]) {
		to++
	}
	run := parts[from:to]
	if !slices.ContainsFunc(run[1:], begins) && !slices.ContainsFunc(run[:len(run)-1], ends) {
		return p, from + 1
	}
	var all strings.Builder
	for _, p := range run {
		all.WriteString(string(p.Content.(a2a.Text)))
	}
	p.Content = a2a.Text(all.String())
	return p, to
}

// Joined returns parts with the chunks of each text joined, as people read them.
func Joined(parts []a2a.Part) (out []a2a.Part) {
	for i := 0; i < len(parts); {
		var p a2a.Part
		p, i = joined(parts, i)
		out = append(out, p)
	}
	return out
}

func chunk(p a2a.Part) bool {
	_, text := p.Content.(a2a.Text)
	return text && p.Filename == "" && (p.MediaType == "" || p.MediaType == "text/plain")
}

// begins and ends tell whether a text has a space there.
func begins(p a2a.Part) bool {
	c, _ := utf8.DecodeRuneInString(string(p.Content.(a2a.Text)))
	return unicode.IsSpace(c)
}

func ends(p a2a.Part) bool {
	c, _ := utf8.DecodeLastRuneInString(string(p.Content.(a2a.Text)))
	return unicode.IsSpace(c)
}

// besides lists what a message has besides text; nil has nothing.
func besides(m *a2a.Message) (out []piece) {
	if m == nil {
		return nil
	}
	for i, p := range m.Parts {
		if _, text := p.Content.(a2a.Text); !text {
			out = append(out, shape(nil, placeIn(m, i), p))
		}
	}
	return out
}

// placeIn returns the place of a part of a message.
func placeIn(m *a2a.Message, number int) place {
	at := place{Said: true, Number: number}
	if len(m.ID) <= maxName {
		at.Message = m.ID
	}
	return at
}

// part returns the one at a place; nil if it is not there or not kept.
func (e *Entry) part(at place) *a2a.Part {
	if at.Version > 0 {
		return e.Past.part(at.Version, at.Number)
	}
	if e.Task == nil {
		return nil
	}
	var parts []a2a.Part
	switch {
	case at.Said:
		parts = e.said(at.Message)
	case at.Artifact >= 0 && at.Artifact < len(e.Task.Artifacts):
		parts = e.Task.Artifacts[at.Artifact].Parts
	}
	if at.Number < 0 || at.Number >= len(parts) {
		return nil
	}
	p, _ := joined(parts, at.Number)
	return &p
}

// said returns the parts of a message.
func (e *Entry) said(id string) []a2a.Part {
	if m := e.Task.Status.Message; m != nil && (m.ID == id || id == "") {
		return m.Parts
	}
	for i := range e.Task.History {
		if m := &e.Task.History[i]; m.ID == id {
			return m.Parts
		}
	}
	return nil
}
