package a2aclient

import (
	"context"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

var _ a2a.Lister = (*Client)(nil)

// Tasks lists the agent's tasks (a2a.Lister). No generation before 1.0 can.
func (c *Client) Tasks(ctx context.Context, f a2a.TaskFilter) (*a2a.TaskPage, error) {
	return attempt(ctx, c, func(r route) (*a2a.TaskPage, error) {
		if r.dialect.Method(wire.List) == "" {
			return nil, a2a.Errorf(a2a.UnsupportedOperation, "an agent of A2A %s cannot list its tasks", r.dialect.Generation)
		}
		params, err := r.dialect.EncodeList(f, r.tenant)
		if err != nil {
			return nil, err
		}
		result, err := c.call(ctx, r, wire.List, params)
		if err != nil {
			return nil, err
		}
		p, err := r.dialect.DecodePage(result)
		if err != nil {
			return nil, invalidAnswer("%v", err)
		}
		return p, nil
	})
}
