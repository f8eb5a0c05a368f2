package documents

import (
	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
)

// place is the place of a part in a task that stays valid when the task grows: a part of an
// artifact, of a replaced artifact, or of a message, which is the latest if it has no ID.
type place struct {
	Version  int    `json:"v,omitempty"` // of a replaced artifact; 0 is the present
	Artifact int    `json:"a,omitempty"`
	Number   int    `json:"p"`
	Said     bool   `json:"s,omitempty"` // in a message
	Message  string `json:"m,omitempty"` // message ID
}

// piece is what is shown at once: a part of an artifact, or the parts that form one
// text. An artifact without parts is one piece without content.
type piece struct {
	artifact *a2a.Artifact // nil for a part of a message
	place                  // of the first part
	a2a.Part
}

// maxData limits a JSON value that is shown as one. A longer value fits no page and is
// shown as text.
const maxData = MaxText * 3 / 4

func shape(a *a2a.Artifact, at place, p a2a.Part) piece {
	if d, ok := p.Content.(a2a.Data); ok && cost(string(d)) > maxData {
		p.Content, p.MediaType = a2a.Text(d), jsonType
	}
	return piece{a, at, p}
}

// pieces returns the output of a task in its order.
func pieces(t *a2a.Task) []piece {
	var out []piece
	for i := range t.Artifacts {
		out = append(out, piecesOf(&t.Artifacts[i], i)...)
	}
	return out
}

func piecesOf(a *a2a.Artifact, n int) (out []piece) {
	if len(a.Parts) == 0 {
		return []piece{{artifact: a, place: place{Artifact: n}}}
	}
	for from, p := range ledger.JoinedTexts(a.Parts) {
		out = append(out, shape(a, place{Artifact: n, Number: from}, p))
	}
	return out
}

// withoutText returns the parts of a message that are not text.
func withoutText(m *a2a.Message) (out []piece) {
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

func placeIn(m *a2a.Message, number int) place {
	at := place{Said: true, Number: number}
	if len(m.ID) <= sanitize.MaxName {
		at.Message = m.ID
	}
	return at
}

// partAt returns the part at a place, or nil.
func partAt(e *ledger.Record, at place) *a2a.Part {
	if at.Version > 0 {
		return e.Revisions.Part(at.Version, at.Number)
	}
	if e.Task == nil {
		return nil
	}
	var parts []a2a.Part
	switch {
	case at.Said:
		parts = partsSaid(e.Task, at.Message)
	case at.Artifact >= 0 && at.Artifact < len(e.Task.Artifacts):
		parts = e.Task.Artifacts[at.Artifact].Parts
	}
	if at.Number < 0 || at.Number >= len(parts) {
		return nil
	}
	p := parts[at.Number]
	if to, one := ledger.Run(parts, at.Number); one {
		p = ledger.Join(parts[at.Number:to])
	}
	return &p
}

func partsSaid(t *a2a.Task, id string) []a2a.Part {
	if m := t.Status.Message; m != nil && (m.ID == id || id == "") {
		return m.Parts
	}
	for i := range t.History {
		if m := &t.History[i]; m.ID == id {
			return m.Parts
		}
	}
	return nil
}
