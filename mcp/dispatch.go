package mcp

import (
	"encoding/json"

	"rialto/internal/jsonrpc"
)

// dispatch calls the method.
func (x *exchange) dispatch() (json.RawMessage, error) {
	if x.req.Method == "tools/call" {
		return x.callTool() // as nearly always, and without a closure
	}
	call := x.lookUp()
	if call == nil {
		return nil, jsonrpc.Errorf(codeMethodNotFound, "there is no method %q here", clip(x.req.Method))
	}
	return call()
}

// lookUp returns what answers the method in the request's era.
func (x *exchange) lookUp() func() (json.RawMessage, error) {
	if x.req.Method == "server/discover" {
		return x.discover
	}
	switch era := modern(x.client.Revision); {
	case era && x.req.Method == "subscriptions/listen":
		return x.listen
	case !era && x.req.Method == "initialize":
		return x.initialize
	case !era && x.req.Method == "ping":
		return x.ping
	case !era && x.req.Method == "logging/setLevel" && x.s.Logging:
		return x.setLevel
	}
	for _, find := range []func() func() (json.RawMessage, error){x.lists, x.offered, x.taskMethod} {
		if call := find(); call != nil {
			return call
		}
	}
	return nil
}

// offered returns what answers a method that not every server has, nil if this
// one has not.
func (x *exchange) offered() func() (json.RawMessage, error) {
	switch ready := &x.s.ready; {
	case x.req.Method == "resources/read" && ready.resources != nil:
		return x.readResource
	case x.req.Method == "prompts/get" && ready.prompts != nil:
		return x.getPrompt
	case x.req.Method == "completion/complete" && ready.completes:
		return x.complete
	case modern(x.client.Revision) || ready.resources == nil || !x.s.Changing:
	case x.req.Method == "resources/subscribe", x.req.Method == "resources/unsubscribe":
		return x.watch
	}
	return nil
}

// ping answers that the server is there.
func (x *exchange) ping() (json.RawMessage, error) { return json.RawMessage("{}"), nil }

func invalidParams(format string, args ...any) error {
	return jsonrpc.Errorf(codeInvalidParams, format, args...)
}
