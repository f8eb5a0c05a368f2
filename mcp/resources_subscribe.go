package mcp

import (
	"encoding/json"

	"rialto/mcp/internal/session"
	"rialto/mcp/internal/subscription"
	"rialto/mcp/internal/wire"
)

// subscribeResource answers resources/subscribe and resources/unsubscribe, with which a
// session of before 2026-07-28 says which changes it wants on its stream, wherever that is.
func (r *request) subscribeResource() (json.RawMessage, error) {
	uri := r.Params.Other().URI
	ctx := r.HTTP.Context()
	hub := &r.s.built.changes
	if r.Session == "" || uri == "" {
		return nil, wire.InvalidParams("a subscription needs a uri, and a session")
	}
	if len(uri) > subscription.MaxURI {
		return nil, wire.InvalidParams(
			"there is no such resource: its uri has more than %d bytes", subscription.MaxURI,
		)
	}
	if r.Message.Method == "resources/unsubscribe" {
		if err := hub.Unwatch(ctx, r.Session, uri); err != nil {
			return nil, err
		}
		return r.empty(), nil
	}

	ok, err := hub.Watch(ctx, r.Principal, r.Session, uri, r.s.Now().Add(session.Life))
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, wire.InvalidParams(
			"a session can be subscribed to %d resources, and all sessions of a user to a few thousand",
			subscription.MaxURIs,
		)
	}

	return r.empty(), nil
}
