package operator

import (
	"context"
	"errors"
	"iter"

	"rialto/internal/audit"
)

// EventFilter chooses events of the audit log; Kind may be the first word of
// kinds, such as "account". Empty fields do not filter.
type EventFilter struct {
	Span
	audit.Filter // After and Limit do not count
}

// Events returns a page of the audit log, the latest first. It fails with
// ErrCursor.
func (s *Service) Events(ctx context.Context, f EventFilter) (*Page[audit.Event], error) {
	after, err := f.mark()
	if err != nil {
		return nil, err
	}
	f.After, f.Limit = audit.Mark{At: after.At, ID: after.ID}, f.size()+1
	rows, err := s.Store.Events(ctx, f.Filter)
	if err != nil {
		return nil, err
	}
	page := paged(rows, f.size(), func(e *audit.Event) Mark { return Mark{At: e.At, ID: e.ID} })
	if page.Items == nil {
		page.Items = []audit.Event{}
	}
	return page, nil
}

// AllEvents goes through the events that a filter chooses, the latest first, from
// a cursor on; "" is the first. It ends with More after MostExported.
func (s *Service) AllEvents(ctx context.Context, f audit.Filter, from string) iter.Seq2[audit.Event, error] {
	return exported(from, func(after Mark) ([]audit.Event, error) {
		f.After, f.Limit = audit.Mark{At: after.At, ID: after.ID}, exportPage
		return s.Store.Events(ctx, f)
	}, func(e audit.Event) Mark { return Mark{At: e.At, ID: e.ID} })
}

// record tells the audit log what somebody did, or tried to. What was not there
// was not tried.
func (s *Service) record(ctx context.Context, by Actor, kind audit.Kind, target, detail string, err error) {
	if s.Audit == nil || errors.Is(err, ErrNotFound) {
		return
	}
	e := audit.Event{Kind: kind, ActorID: by.ID, Actor: by.Name, Address: by.Address, Target: target, Detail: detail}
	if err != nil {
		e.Outcome = audit.Failed
	}
	s.Audit.Record(ctx, e)
}

// recorded is record for a function's last line.
func (s *Service) recorded(ctx context.Context, by Actor, kind audit.Kind, target, detail string, err error) error {
	s.record(ctx, by, kind, target, detail, err)
	return err
}
