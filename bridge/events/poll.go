package events

import (
	"context"
	"encoding/json"
	"time"

	"rialto/bridge/directory"
	"rialto/bridge/push"
	"rialto/mcp"
)

// Poll implements mcp.Events. With q.Wait it also looks every few seconds, for the events of tasks
// whose replicas could not tell.
func (s *Service) Poll(ctx context.Context, _ string, q *mcp.EventQuery) (*mcp.EventPage, error) {
	over := time.NewTimer(q.Wait)
	defer over.Stop()
	for {
		changed := s.wake.next()
		page, err := s.poll(ctx, q)
		if err != nil || q.Wait == 0 || len(page.Events) > 0 || page.Truncated {
			return page, err
		}
		look := time.NewTimer(push.PollInterval)
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-changed:
		case <-look.C:
		case <-over.C:
			look.Stop()
			return page, nil
		}
		if look.Stop(); err != nil {
			return nil, err
		}
	}
}

func (s *Service) poll(ctx context.Context, q *mcp.EventQuery) (*mcp.EventPage, error) {
	access, err := s.access(ctx)
	if err != nil {
		return nil, err
	}
	var f Filter
	if err := json.Unmarshal(q.Arguments, &f); err != nil {
		return nil, err
	}
	log, err := s.log(ctx, access.User(), q.Name)
	if err != nil {
		return nil, err
	}
	page := &mcp.EventPage{Cursor: cursor(log.Epoch, log.Last)}
	if q.Cursor == "" {
		return page, nil
	}
	at, truncated, err := s.replayFrom(ctx, access.User(), log, f, q)
	if err != nil {
		return nil, err
	}
	most := maxPage
	if q.Most > 0 {
		most = min(q.Most, maxPage)
	}
	list, err := s.Store.Events(ctx, access.User(), q.Name, f, at, log.Last, most+1)
	if err != nil {
		return nil, err
	}
	if page.Truncated = truncated; len(list) > most {
		list, page.More = list[:most], true
		page.Cursor = cursor(log.Epoch, list[most-1].Seq)
	}
	for _, e := range list {
		if s.allows(access, e) {
			page.Events = append(page.Events, s.shown(e, cursor(log.Epoch, e.Seq)))
		}
	}
	return page, nil
}

// replayFrom returns after which event a client continues, and whether it misses some: they are
// not kept any more, or older than it wants.
func (s *Service) replayFrom(ctx context.Context, owner string, log Log, f Filter, q *mcp.EventQuery) (at int64, truncated bool, err error) {
	at, truncated = log.position(q.Cursor)
	if q.MaxAge > 0 {
		var skipped int64
		skipped, err = s.Store.Older(ctx, owner, q.Name, f, at, s.Now().Add(-q.MaxAge))
		at, truncated = max(at, skipped), truncated || skipped > 0
	}
	return at, truncated, err
}

// log returns the log of a user, and has events kept for it from now on.
func (s *Service) log(ctx context.Context, user, name string) (Log, error) {
	now := s.Now()
	return s.Store.Log(ctx, user, name, keptEvents, now, now.Add(keptFor))
}

// access returns the access of a request. A stream outlives its token: each look asks again.
func (s *Service) access(ctx context.Context) (directory.Access, error) {
	access, alive, err := s.Access(ctx, s.Grant(ctx))
	if err == nil && !alive {
		err = &mcp.EventError{Kind: mcp.EventForbidden, Message: "Events need a token of an account."}
	}
	return access, err
}

// allows reports whether a call may know of an event. Who may know that an agent was removed is
// known from the event alone.
func (s *Service) allows(access directory.Access, e Event) bool {
	if e.Name == agentChanged && s.Directory.Lookup(e.Agent) == nil {
		return access.Allows(directory.Agent{UseCases: e.UseCases}, "")
	}
	return s.Directory.AllowsTasks(access, e.Agent)
}
