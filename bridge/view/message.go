package view

import (
	"slices"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
)

// MessageText returns the text of a message, "" of none.
func MessageText(m *a2a.Message) string { return sanitize.Text(m.Text()) }

// Message returns the parts of a message of t, which may be nil. Agents stream artifacts in chunks,
// and send messages whole.
func Message(t *a2a.Task, m *a2a.Message) []Piece { return messageParts(t, m, true) }

// Attachments returns the parts of a message of t that are not text: those that MessageText leaves
// out.
func Attachments(t *a2a.Task, m *a2a.Message) []Piece { return messageParts(t, m, false) }

func messageParts(t *a2a.Task, m *a2a.Message, texts bool) (out []Piece) {
	if m == nil {
		return nil
	}
	ref := PartRef{InMessage: true}
	named := m.ID != "" && len(m.ID) <= sanitize.MaxName
	if named {
		ref.Message = m.ID
	}

	last := t != nil && m == t.Status.Message
	for i := range m.Parts {
		if _, text := m.Parts[i].Content.(a2a.Text); text && !texts {
			continue
		}
		p := newPiece(&m.Parts[i])
		p.Ref = ref
		p.Ref.Number = i
		if !named && !last {
			p.Ref.Number = NoPart
		}
		out = append(out, p)
	}

	return out
}

// Messages returns the messages of a task in their order. The first is the request, as far as it is
// known.
func Messages(e *ledger.Record) (all []*a2a.Message) {
	if e.Request() == nil && e.Asked != "" {
		all = append(
			all, &a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(e.Asked)}},
		)
	}
	if e.Task == nil {
		return all
	}

	for i := range e.Task.History {
		all = append(all, &e.Task.History[i])
	}

	last := e.Task.Status.Message
	repeats := func(m *a2a.Message) bool { return m.ID != "" && m.ID == last.ID }
	if last != nil && !slices.ContainsFunc(all, repeats) {
		all = append(all, last)
	}
	if p := e.Pending(); p != nil {
		all = append(all, &p.Message)
	}

	return all
}
