package view

import (
	"iter"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

// Pieces returns what a task has produced, and the parts of its last message.
func Pieces(t *a2a.Task) []Piece {
	if t == nil {
		return nil
	}
	all := append(Output(t), Message(t, t.Status.Message)...)
	for i := range all {
		all[i].Number = i
	}
	return all
}

// Output returns what a task has produced, in its order.
func Output(t *a2a.Task) (out []Piece) {
	if t == nil {
		return nil
	}
	for i := range t.Artifacts {
		out = appendParts(out, &t.Artifacts[i], PartRef{Artifact: i})
	}
	return out
}

// appendParts appends the pieces of an artifact.
func appendParts(out []Piece, a *a2a.Artifact, ref PartRef) []Piece {
	if len(a.Parts) == 0 {
		return append(out, Piece{Artifact: a, Ref: ref})
	}

	for from, p := range Parts(a.Parts) {
		p.Artifact = a
		p.Ref = ref
		p.Ref.Number = from
		out = append(out, p)
	}

	return out
}

// Parts yields the pieces of parts of an artifact with the numbers of their first parts. The chunks of
// a streamed text are one piece.
func Parts(parts []a2a.Part) iter.Seq2[int, Piece] {
	return func(yield func(int, Piece) bool) {
		for from, p := range ledger.JoinedTexts(parts) {
			if !yield(from, newPiece(&p)) {
				return
			}
		}
	}
}
