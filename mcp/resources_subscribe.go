package mcp

import (
	"encoding/json"

	"rialto/mcp/internal/subscription"
	"rialto/mcp/internal/wire"
)

// subscribeResource answers resources/subscribe and resources/unsubscribe, with which a
// session of before 2026-07-28 says which changes it wants on its stream. This process
// keeps that: when replicas share the load, a session has to stay with one of them.
func (r *request) subscribeResource() (json.RawMessage, error) {
	uri := r.Params.Other().URI
	switch {
	case r.Session == "" || uri == "":
		return nil, wire.InvalidParams("a subscription needs a uri, and a session")
	case r.Message.Method == "resources/unsubscribe":
		r.s.built.changes.Unwatch(r.Session, uri)
	case !r.s.built.changes.Watch(r.Session, uri):
		return nil, wire.InvalidParams("a session can be subscribed to %d resources", subscription.MaxURIs)
	}
	return r.empty(), nil
}
