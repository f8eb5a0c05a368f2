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
		if err != nil {
			return nil, err
		}
		hasNews := len(page.Events) > 0 || page.Truncated
		if hasNews || q.Wait == 0 {
			return page, nil
		}

		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-over.C:
			return page, nil
		case <-changed:
		case <-time.After(push.PollInterval):
		}
	}
}

func (s *Service) poll(ctx context.Context, q *mcp.EventQuery) (*mcp.EventPage, error) {
	access, err := s.access(ctx)
	if err != nil {
		return nil, err
	}

	var filter Filter
	if err := json.Unmarshal(q.Arguments, &filter); err != nil {
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

	after, truncated, err := s.replayFrom(ctx, access.User(), log, filter, q)
	if err != nil {
		return nil, err
	}

	page.Truncated = truncated

	limit := maxPage
	if q.Most > 0 {
		limit = min(q.Most, maxPage)
	}

	list, err := s.Logs.Events(ctx, access.User(), q.Name, filter, after, log.Last, limit+1)
	if err != nil {
		return nil, err
	}
	if len(list) > limit {
		list = list[:limit]
		page.More = true
		page.Cursor = cursor(log.Epoch, list[limit-1].Seq)
	}

	for _, e := range list {
		if !s.allows(access, e) {
			continue
		}
		task, err := s.task(ctx, access, e)
		if err != nil {
			return nil, err
		}
		page.Events = append(page.Events, s.toMCP(e, task, cursor(log.Epoch, e.Seq)))
	}

	return page, nil
}

// replayFrom returns after which event a client continues, and whether it misses some: they are
// not kept any more, or older than it wants.
func (s *Service) replayFrom(
	ctx context.Context, owner string, log Log, f Filter, q *mcp.EventQuery,
) (after int64, truncated bool, err error) {
	after, truncated = log.position(q.Cursor)
	if q.MaxAge <= 0 {
		return after, truncated, nil
	}

	oldest := s.Now().Add(-q.MaxAge)
	tooOld, err := s.Logs.Older(ctx, owner, q.Name, f, after, oldest)
	if tooOld > 0 {
		truncated = true
	}

	return max(after, tooOld), truncated, err
}

// log returns the log of a user, and has events kept for it from now on.
func (s *Service) log(ctx context.Context, user, name string) (Log, error) {
	now := s.Now()
	return s.Logs.Log(ctx, user, name, keptEvents, now, now.Add(keptFor))
}

// access returns the access of a request. A stream outlives its token: each look asks again.
func (s *Service) access(ctx context.Context) (directory.Access, error) {
	access, alive, err := s.Backend.Access(ctx, s.Backend.Grant(ctx))
	if err == nil && !alive {
		err = &mcp.EventError{
			Kind:    mcp.EventForbidden,
			Message: "Events need a token of an account.",
		}
	}
	return access, err
}

// allows reports whether a call may know of an event. Who may know that an agent was removed is
// known from the event alone.
func (s *Service) allows(access directory.Access, e Event) bool {
	if e.Name == agentChanged && s.Directory.Lookup(e.Agent) == nil {
		return access.Allows(
			&directory.Agent{AgentConfig: directory.AgentConfig{Name: e.Agent, UseCases: e.UseCases}}, "",
		)
	}
	return s.Directory.AllowsTasks(access, e.Agent)
}
