package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
)

// Revision is an artifact as it was until its agent replaced it.
type Revision struct {
	ID     string
	Name   string
	Until  time.Time
	Pieces []Piece
}

// Replaced returns the artifacts of a task that its agent has replaced, the latest first.
func Replaced(e *ledger.Record) (all []Revision) {
	if e.Revisions == nil {
		return nil
	}

	for i, v := range slices.Backward(e.Revisions.Artifacts) {
		ref := PartRef{Version: e.Revisions.Dropped + i + 1}
		pieces := appendParts(nil, &v.Artifact, ref)
		for j := range pieces {
			p := &pieces[j]
			if size, gone := v.Gone[p.Ref.Number]; gone {
				p.Size = size
				p.Gone = true
			}
		}
		all = append(all, Revision{
			ID:     sanitize.Label(v.Artifact.ID),
			Name:   sanitize.Label(v.Artifact.Name),
			Until:  time.UnixMilli(v.Until).UTC(),
			Pieces: pieces,
		})
	}

	return all
}

// Text puts a replaced artifact into words: texts and data as they are, and files by name.
func (r *Revision) Text() string {
	var lines []string
	for _, p := range r.Pieces {
		switch p.Kind {
		case Text, Data:
			lines = append(lines, p.Text())
		case Link, File:
			name := strings.TrimSpace(p.Name + " " + p.MediaType)
			if p.Gone {
				name += fmt.Sprintf(", %d bytes, not kept", p.Size)
			}
			lines = append(lines, "["+name+"]")
		}
	}

	return strings.Join(lines, "\n")
}
