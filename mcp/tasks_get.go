package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

func (r *request) getTask() (json.RawMessage, error) {
	t, err := r.task()
	if err != nil {
		return nil, err
	}
	b, err := t.appendDetailed([]byte(`{"resultType":"complete",`), r.identity.info)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(b, `,%s}`, r.identity.meta()), nil
}

// getCoreTask answers tasks/get in 2025-11-25.
func (r *request) getCoreTask() (json.RawMessage, error) {
	t, err := r.task()
	if err != nil {
		return nil, err
	}
	return append(t.asCore().append([]byte("{"), "ttl", "pollInterval"), '}'), nil
}

// followTask sends the task, and again whenever it changes, until it has ended.
func (r *request) followTask(
	ctx context.Context, t *Task, send func(method string, params []byte),
) {
	for {
		t = t.shownTo(r.Client)
		b, err := t.appendDetailed(nil, r.identity.info)
		if err != nil {
			r.s.Log.ErrorContext(ctx, "task cannot be shown", "task", t.ID, "err", err)
			return
		}
		send("notifications/tasks", b)
		if t.Status.Final() {
			return
		}
		t, err = r.s.Tasks.Next(ctx, r.Principal, t.ID, t.Updated)
		if err == nil {
			continue
		}
		if ctx.Err() == nil && !errors.Is(err, ErrNoTask) {
			r.s.Log.ErrorContext(ctx, "task cannot be followed", "err", err)
		}
		return
	}
}
