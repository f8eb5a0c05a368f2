package documents

import (
	"context"
	"rialto/bridge/metering"
	"rialto/internal/usage"
	"rialto/mcp"
)

// meteredRead records the reading of a resource. read returns the agent of the resource.
func (l *Library) meteredRead(read func(context.Context, *mcp.Read) (agent string, _ []mcp.Contents, _ error)) func(context.Context, *mcp.Read) ([]mcp.Contents, error) {
	if l.Meter == nil {
		return func(ctx context.Context, r *mcp.Read) ([]mcp.Contents, error) {
			_, contents, err := read(ctx, r)
			return contents, err
		}
	}
	return func(ctx context.Context, r *mcp.Read) (contents []mcp.Contents, err error) {
		u := l.Meter.Begin(ctx, usage.MCP, "resources/read", "")
		u.BytesIn, err = int64(len(r.URI)), metering.ErrPanicked
		defer func() {
			for _, c := range contents {
				u.BytesOut += int64(len(c.Text) + len(c.Data))
			}
			u.Outcome = metering.Outcome(ctx, err)
			l.Meter.End(u)
		}()
		u.Agent, contents, err = read(ctx, r)
		return contents, err
	}
}
