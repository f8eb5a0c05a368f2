package a2aclient

import (
	"context"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

// Task returns a task as it stands (a2a.Agent).
func (c *Client) Task(ctx context.Context, q a2a.TaskQuery) (*a2a.Task, error) {
	t, err := c.aboutTask(ctx, wire.Task, q)
	if err != nil {
		return nil, err
	}

	return t.WithHistory(q.HistoryLength), nil
}

// Cancel asks the agent to stop a task (a2a.Agent).
func (c *Client) Cancel(ctx context.Context, id a2a.TaskID) (*a2a.Task, error) {
	t, err := c.aboutTask(ctx, wire.Cancel, a2a.TaskQuery{ID: id})
	if err == nil && t.Status.State.Terminal() && t.Status.State != a2a.Canceled {
		// The first sample server returns what has ended as if it were news.
		return nil, a2a.Errorf(
			a2a.TaskNotCancelable,
			"task %s has ended: it is %s",
			id,
			t.Status.State,
		)
	}

	return t, err
}

// aboutTask makes a call that names a task and is answered by it.
func (c *Client) aboutTask(ctx context.Context, op wire.Op, q a2a.TaskQuery) (*a2a.Task, error) {
	return tryRoutes(ctx, c, op, func(ctx context.Context, r route) (*a2a.Task, error) {
		params, err := r.dialect.EncodeQuery(q, r.tenant)
		t, err := invoke(ctx, c, call{r, op, params}, r.dialect.DecodeTask, err)
		if err == nil && t.ID != q.ID {
			return nil, invalidAnswer("asked for task %q, it answered with %q", q.ID, t.ID)
		}
		return t, err
	})
}
