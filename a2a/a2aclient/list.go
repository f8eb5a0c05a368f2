package a2aclient

import (
	"context"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

var _ a2a.Lister = (*Client)(nil)

// Tasks lists the agent's tasks (a2a.Lister). No generation before 1.0 can.
func (c *Client) Tasks(ctx context.Context, f a2a.TaskFilter) (*a2a.TaskPage, error) {
	return tryRoutes(ctx, c, wire.List, func(ctx context.Context, r route) (*a2a.TaskPage, error) {
		params, err := r.dialect.EncodeList(f, r.tenant)
		return invoke(ctx, c, call{r, wire.List, params}, r.dialect.DecodePage, err)
	})
}
