package a2aclient

import (
	"context"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

var _ a2a.Pusher = (*Client)(nil)

// SetPush sets a webhook that the agent notifies of a task (a2a.Pusher).
func (c *Client) SetPush(ctx context.Context, config *a2a.PushConfig) (*a2a.PushConfig, error) {
	return tryRoutes(ctx, c, wire.PushSet, func(ctx context.Context, r route) (*a2a.PushConfig, error) {
		id := wire.PushID{Task: config.TaskID, ID: config.ID}
		params, err := r.dialect.EncodePushSet(config, r.tenant)
		kept, err := c.callForPush(ctx, call{r, wire.PushSet, params}, id, err)

		// The protocol buffers of 0.3 have the config alone as the body (body: "config"). Most servers
		// of 0.3 take the whole request, which is tried first; that of a2a-js 1.3.0 does not.
		mayWantConfig := r.binding == (rest{}) && r.dialect.Generation == a2a.V03
		if mayWantConfig && a2a.Is(err, a2a.InvalidParams) {
			params, err = r.dialect.EncodePush(config)
			return c.callForPush(ctx, call{r, wire.PushSet, params}, id, err)
		}

		return kept, err
	})
}

// Push returns a webhook of a task (a2a.Pusher). Since 1.0, and in paths and resources always, a
// call for one must name it: without an id all are asked for.
func (c *Client) Push(ctx context.Context, task a2a.TaskID, id string) (*a2a.PushConfig, error) {
	return tryRoutes(ctx, c, wire.PushGet, func(ctx context.Context, r route) (*a2a.PushConfig, error) {
		if id == "" && (r.dialect.Generation == a2a.V10 || r.binding != jsonRPC{}) {
			return c.firstPush(ctx, r, task)
		}

		named := wire.PushID{Task: task, ID: id}
		params, err := r.dialect.EncodePushID(wire.PushGet, named, r.tenant)
		return c.callForPush(ctx, call{r, wire.PushGet, params}, named, err)
	})
}

// firstPush asks for all webhooks of a task and returns the first. If there is none, it fails with
// TaskNotFound, as Push does for one that is not there.
func (c *Client) firstPush(ctx context.Context, r route, task a2a.TaskID) (*a2a.PushConfig, error) {
	all, err := c.listPushes(ctx, r, task)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, a2a.Errorf(a2a.TaskNotFound, "task %s has no webhooks", task)
	}

	return all[0], nil
}

// callForPush makes a call that is answered by the config that id names. encodeErr is the error of
// encoding q's parameters: if there is one, it is returned and no call is made.
func (c *Client) callForPush(
	ctx context.Context,
	q call,
	id wire.PushID,
	encodeErr error,
) (*a2a.PushConfig, error) {
	decode := func(b []byte) (*a2a.PushConfig, error) { return q.dialect.DecodePush(b, id) }
	return invoke(ctx, c, q, decode, encodeErr)
}

// Pushes lists the webhooks of a task (a2a.Pusher).
func (c *Client) Pushes(ctx context.Context, task a2a.TaskID) ([]*a2a.PushConfig, error) {
	return tryRoutes(ctx, c, wire.PushList, func(ctx context.Context, r route) ([]*a2a.PushConfig, error) {
		return c.listPushes(ctx, r, task)
	})
}

// listPushes is Pushes over one route.
func (c *Client) listPushes(ctx context.Context, r route, task a2a.TaskID) ([]*a2a.PushConfig, error) {
	params, err := r.dialect.EncodePushID(wire.PushList, wire.PushID{Task: task}, r.tenant)
	decode := func(b []byte) ([]*a2a.PushConfig, error) { return r.dialect.DecodePushes(b, task) }
	return invoke(ctx, c, call{r, wire.PushList, params}, decode, err)
}

// DropPush removes a webhook (a2a.Pusher).
func (c *Client) DropPush(ctx context.Context, task a2a.TaskID, id string) error {
	_, err := tryRoutes(ctx, c, wire.PushDelete, func(ctx context.Context, r route) (struct{}, error) {
		named := wire.PushID{Task: task, ID: id}
		params, err := r.dialect.EncodePushID(wire.PushDelete, named, r.tenant)
		if err == nil {
			err = c.command(ctx, call{r, wire.PushDelete, params})
		}

		return struct{}{}, err
	})
	return err
}
