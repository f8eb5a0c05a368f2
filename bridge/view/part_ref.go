package view

import (
	"rialto/a2a"
	"rialto/bridge/ledger"
)

// NoPart is the Number of a part that cannot be referred to: one of an earlier message without
// an ID.
const NoPart = -1

// PartRef is the place of a part in a task that stays valid when the task grows: a part of an
// artifact, of a replaced artifact, or of a message.
type PartRef struct {
	Version   int    `json:"v,omitempty"` // of a replaced artifact; 0 is the present
	Artifact  int    `json:"a,omitempty"`
	Number    int    `json:"p"`
	InMessage bool   `json:"s,omitempty"` // in a message
	Message   string `json:"m,omitempty"` // message ID; "" is the last message of the task
}

// Part returns the part at a place as the agent sent it, with the chunks of a streamed text joined, or
// nil.
func Part(e *ledger.Record, ref PartRef) *a2a.Part {
	if ref.Version > 0 {
		return e.Revisions.Part(ref.Version, ref.Number)
	}
	if e.Task == nil {
		return nil
	}
	var parts []a2a.Part
	switch {
	case ref.InMessage:
		parts = partsOfMessage(e.Task, ref.Message)
	case ref.Artifact >= 0 && ref.Artifact < len(e.Task.Artifacts):
		parts = e.Task.Artifacts[ref.Artifact].Parts
	}

	if ref.Number < 0 || ref.Number >= len(parts) {
		return nil
	}

	p := parts[ref.Number]
	if to, one := ledger.Run(parts, ref.Number); one && !ref.InMessage {
		p = ledger.Join(parts[ref.Number:to])
	}

	return &p
}

func partsOfMessage(t *a2a.Task, id string) []a2a.Part {
	last := t.Status.Message
	if last != nil && (id == "" || last.ID == id) {
		return last.Parts
	}

	for i := range t.History {
		if m := &t.History[i]; m.ID == id {
			return m.Parts
		}
	}

	return nil
}
