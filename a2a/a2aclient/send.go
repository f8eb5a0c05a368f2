package a2aclient

import (
	"cmp"
	"context"
	"time"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
	"rialto/internal/quota"
)

// Send delivers a message (a2a.Agent). Some agents answer at once though they were asked
// to wait; then the client reads the task until it is idle.
func (c *Client) Send(ctx context.Context, req *a2a.SendRequest) (a2a.Event, error) {
	e, err := c.send(ctx, identified(req))
	t, isTask := e.(*a2a.Task)
	if err != nil || !isTask || req.ReturnImmediately || t.Status.State.Idle() {
		return e, err
	}

	return c.waitUntilIdle(ctx, t.ID, req.HistoryLength)
}

func (c *Client) send(ctx context.Context, req *a2a.SendRequest) (a2a.Event, error) {
	var newTask a2a.TaskID
	ctx = withExtensions(ctx, req.Extensions)
	return tryRoutes(ctx, c, wire.Send, func(ctx context.Context, r route) (a2a.Event, error) {
		params, err := r.dialect.EncodeSend(req, r.envelope(&newTask))
		if err != nil {
			return nil, err
		}
		if req.ReturnImmediately && r.dialect.CallersName && c.card.Capabilities.Streaming {
			e, err := c.sendByStream(ctx, r, params, req.Message.TaskID)
			if !c.unknown(r, err) {
				return e, err
			} // else the agent does not stream, whatever its card says, and nothing ran
		}
		item, err := invoke(ctx, c, call{r, wire.Send, params}, r.dialect.DecodeAnswer, nil)
		if err != nil {
			return nil, err
		}
		switch e := item.Event.(type) {
		case *a2a.Task, *a2a.Message:
			return e, nil
		default:
			return nil, invalidAnswer("neither a task nor a message")
		}
	})
}

// envelope returns the envelope of a request over r. newTask is the id of a task that it
// starts, generated when it is first needed.
func (r route) envelope(newTask *a2a.TaskID) wire.Envelope {
	if r.dialect.CallersName && *newTask == "" {
		*newTask = a2a.TaskID(uuid.NewString())
	}

	return wire.Envelope{Tenant: r.tenant, NewTask: *newTask}
}

// drainTimeout bounds how long a stream is drained, and maxDraining how many are at one time.
const (
	drainTimeout = 30 * time.Minute
	maxDraining  = 100
)

// sendByStream delivers a message in a generation that cannot ask for an immediate answer: it
// returns the first event of a stream. The stream is drained, because agents may treat a closed
// stream as a cancellation. The message answers the task answered, if it is not "".
func (c *Client) sendByStream(
	ctx context.Context,
	r route,
	params []byte,
	answered a2a.TaskID,
) (a2a.Event, error) {
	streamCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	stopWatching := context.AfterFunc(ctx, cancel)
	s, err := c.openOn(streamCtx, call{r, wire.Stream, params})
	if err != nil {
		cancel()
		return nil, cmp.Or(ctx.Err(), err)
	}

	f := follow{c: c, id: answered, resumes: answered != ""}
	first, err := f.first(ctx, s)
	if !stopWatching() && err == nil {
		err = ctx.Err()
	}

	end := func() {
		s.close()
		cancel()
	}
	if err != nil {
		end()
		return first, err
	}

	release, refused := c.draining.Acquire("", quota.Unlimited, maxDraining)
	if refused != nil {
		end()
		return first, nil
	}

	go func() {
		defer release()
		defer end()
		s.drain()
	}()
	return first, nil
}

// drain reads s to its end.
func (s *stream) drain() {
	for {
		if item, err := s.next(); err != nil || item.Done() {
			return
		}
	}
}

// maxFailures is how many reads in a row may fail while Send waits for a task.
const maxFailures = 5

// waitUntilIdle reads the task id until it is idle.
func (c *Client) waitUntilIdle(
	ctx context.Context, id a2a.TaskID, history *int,
) (a2a.Event, error) {
	failures := 0
	for n := 0; ; n++ {
		if err := c.dialer.pause(ctx, n); err != nil {
			return nil, err
		}
		t, err := c.Task(ctx, a2a.TaskQuery{ID: id, HistoryLength: history})
		if err == nil {
			failures = 0
			if t.Status.State.Idle() {
				return t, nil
			}
			continue
		}
		failures++
		if final(ctx, err) || failures == maxFailures || sleep(ctx, a2a.RetryAfter(err)) != nil {
			return nil, err
		}
	}
}

// identified returns req with an id for its message, which every generation
// but the first demands. An id that is there is kept.
func identified(req *a2a.SendRequest) *a2a.SendRequest {
	if req.Message.ID != "" {
		return req
	}

	m := *req.Message
	out := *req
	m.ID = uuid.NewString()
	out.Message = &m
	return &out
}
