package a2aclient

import (
	"context"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

// Send delivers a message (a2a.Agent). Agents are known that answer at once
// though they were asked to wait; then the client does the waiting.
func (c *Client) Send(ctx context.Context, req *a2a.SendRequest) (a2a.Event, error) {
	e, err := c.send(ctx, identified(req))
	t, isTask := e.(*a2a.Task)
	if err != nil || !isTask || req.ReturnImmediately || t.Status.State.Settled() {
		return e, err
	}
	return c.settle(ctx, t, req.HistoryLength)
}

func (c *Client) send(ctx context.Context, req *a2a.SendRequest) (a2a.Event, error) {
	return attempt(ctx, c, func(r route) (a2a.Event, error) {
		params, err := r.dialect.EncodeSend(req, r.tenant)
		if err != nil {
			return nil, err
		}
		result, err := c.call(ctx, r, wire.Send, params)
		if err != nil {
			return nil, err
		}
		item, err := wire.DecodeItem(result)
		if err != nil {
			return nil, garbled("%v", err)
		}
		switch e := item.Event.(type) {
		case *a2a.Task, *a2a.Message:
			return e, nil
		default:
			return nil, garbled("neither a task nor a message")
		}
	})
}

// settle waits until t settles.
func (c *Client) settle(ctx context.Context, t *a2a.Task, history *int) (a2a.Event, error) {
	var err error
	f := follow{c: c, id: t.ID, pollOnly: true, yield: func(e a2a.Event, failure error) bool {
		if now, ok := e.(*a2a.Task); ok {
			t = now
		}
		err = failure
		return true
	}}
	f.watch(ctx)
	if err != nil {
		return nil, err
	}
	return t.WithHistory(history), nil
}

// identified returns req with an id for its message, which every generation
// but the first demands. An id that is there is kept.
func identified(req *a2a.SendRequest) *a2a.SendRequest {
	if req.Message.ID != "" {
		return req
	}
	m, out := *req.Message, *req
	m.ID = uuid.NewString()
	out.Message = &m
	return &out
}
