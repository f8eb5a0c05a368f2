// Package view is a task as people, models and programs see it: clean pieces (Piece), messages, states
// and replaced artifacts, made from a record. Every face of a task chooses from them, cuts them to its
// size and encodes them. Links to pieces, budgets and pages are in package documents, and what goes
// to A2A and REST callers as the agent sent it is in ledger.Record.Public.
package view

import (
	"cmp"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
)

// Problem returns why a task did not do what it should; nil if it did, or still may. A task in an
// unknown state is a problem, although it is still followed. Problem returns nil for a task in the
// expected state.
func Problem(e *ledger.Record, expected a2a.State) *ledger.Failure {
	state := e.State()
	switch code := ledger.EndCodes[state]; {
	case e.Failure != nil:
		reason := sanitize.Truncate(e.Failure.Message, ledger.MaxReason)
		return &ledger.Failure{Code: e.Failure.Code, Message: reason, Remote: e.Failure.Remote}
	case code == "" || state == expected:
		return nil
	default:
		reason := sanitize.Short(e.Task.Status.Message.Text(), ledger.MaxReason)
		return &ledger.Failure{
			Code:    code,
			Message: cmp.Or(reason, "The agent gave no reason."),
			Remote:  true,
		}
	}
}
