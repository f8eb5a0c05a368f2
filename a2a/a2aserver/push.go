package a2aserver

import (
	"context"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

var errNoPush = a2a.Errorf(a2a.PushNotSupported, "this agent sends no push notifications")

// push answers a call about the configs of push notifications, if the agent keeps any.
func (s *Server) push(ctx context.Context, c call) ([]byte, error) {
	if _, ok := s.Agent.(a2a.Pusher); !ok {
		return nil, errNoPush
	}

	p := c.agent.(a2a.Pusher) // the agent, or agentV01 around it
	if c.op == wire.PushSet {
		in, err := c.dialect.DecodePushSet(c.params, c.path)
		if err != nil {
			return nil, err
		}
		kept, err := p.SetPush(ctx, in)
		if err != nil {
			return nil, err
		}
		return c.dialect.EncodePush(kept)
	}

	id, err := c.dialect.DecodePushID(c.op, c.params, c.path)
	if err != nil {
		return nil, err
	}

	switch c.op {
	case wire.PushGet:
		kept, err := p.Push(ctx, id.Task, id.ID)
		if err != nil {
			return nil, err
		}
		return c.dialect.EncodePush(kept)
	case wire.PushList:
		all, err := p.Pushes(ctx, id.Task)
		if err != nil {
			return nil, err
		}
		return c.dialect.EncodePushes(all)
	default:
		if id.ID == "" {
			return nil, a2a.Errorf(a2a.InvalidParams, "the id of the config to delete is missing")
		}
		return nil, p.DropPush(ctx, id.Task, id.ID)
	}
}
