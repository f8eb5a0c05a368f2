package operator

import (
	"context"
	"errors"
	"iter"

	"rialto/internal/audit"
)

// Actor is who does something, for the audit log.
type Actor struct {
	ID      string // of the account; "" if none is signed in
	Name    string
	Address string // of the network; "" if there is none
}

// CommandLine is an operator who can read the server's database.
var CommandLine = Actor{Name: "command line"}

// EventFilter chooses events of the audit log; Kind may be the first word of kinds,
// such as "account". Empty fields do not filter.
type EventFilter struct {
	Span
	audit.Filter // After and Limit are ignored
}

// Table implements Query.
func (f *EventFilter) Table() *Table { return tables()["events"] }

// Read implements Query.
func (f *EventFilter) Read(ctx context.Context, s *Service, span Span) (*Page[any], error) {
	f.Span = span
	return untyped(s.Events(ctx, *f))
}

// Events returns a page of the audit log, the latest first. It fails with ErrCursor.
func (s *Service) Events(ctx context.Context, f EventFilter) (*Page[audit.Event], error) {
	f.Searched = MostSearched
	return list(ctx, s, f, func(ctx context.Context, f EventFilter, r Rows) ([]audit.Event, error) {
		f.After = audit.Mark{At: r.After.At, ID: r.After.ID}
		f.Limit = r.Limit
		f.Filter.Reverse = r.Reverse
		return s.AuditStore.Events(ctx, f.Filter)
	}, func(ctx context.Context, f EventFilter, most int) (int, error) {
		f.Limit = most
		return s.AuditStore.CountEvents(ctx, f.Filter)
	}, func(e *audit.Event) Mark { return Mark{At: e.At, ID: e.ID} })
}

// AllEvents iterates over the events that a filter chooses, the latest first, from a
// cursor on; "" is the first. It ends with ErrTooMany after MostExported.
func (s *Service) AllEvents(
	ctx context.Context, f audit.Filter, from string,
) iter.Seq2[audit.Event, error] {
	return exported(from, func(after Mark) ([]audit.Event, error) {
		f.After = audit.Mark{At: after.At, ID: after.ID}
		f.Limit = exportPage
		return s.AuditStore.Events(ctx, f)
	}, func(e audit.Event) Mark { return Mark{At: e.At, ID: e.ID} })
}

// VerifyEvents checks the chain of the audit log. It returns an *audit.BrokenError for the first event
// that was changed, removed or moved, or that differs from an anchor (anchors are given, or in AnchorFile).
func (s *Service) VerifyEvents(
	ctx context.Context, anchors ...audit.ChainEnd,
) (*audit.Chain, error) {
	kept, err := audit.ReadAnchors(s.AnchorFile)
	if err != nil {
		return nil, err
	}
	return s.AuditStore.VerifyEvents(ctx, append(kept, anchors...)...)
}

// record records in the audit log what an actor did, or tried to do, and returns
// err. What does not exist was not tried.
func record(
	ctx context.Context,
	log audit.Recorder,
	by Actor,
	kind audit.Kind,
	target, detail string,
	err error,
) error {
	if log == nil || errors.Is(err, ErrNotFound) {
		return err
	}
	e := audit.Event{
		Kind:    kind,
		ActorID: by.ID,
		Actor:   by.Name,
		Address: by.Address,
		Target:  target,
		Detail:  detail,
	}
	if err != nil {
		e.Outcome = audit.Failed
	}

	log.Record(ctx, e)
	return err
}
