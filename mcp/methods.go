package mcp

import (
	"encoding/json"

	"rialto/internal/jsonrpc"
	"rialto/mcp/internal/revision"
	"rialto/mcp/internal/wire"
)

// method answers a request. Each has a file of its name.
type method func(*request) (json.RawMessage, error)

// answer answers the request by m, its method; nil is none.
func (r *request) answer(m method) (json.RawMessage, error) {
	if r.Modern() {
		if err := revision.CheckHeaders(
			r.HTTP.Header,
			r.Message.Method,
			&r.Params,
			r.Lenient,
			r.s.Tasks != nil,
		); err != nil {
			return nil, err
		}
	}
	if m == nil {
		return nil, jsonrpc.Errorf(
			jsonrpc.CodeMethodNotFound,
			"there is no method %q here",
			wire.Truncate(r.Message.Method),
		)
	}
	if !r.Modern() && r.repeatable() {
		r.ContinueWith(r.Message.Method, func() json.RawMessage { return r.Message.Params })
	}

	return m(r)
}

// repeatable tells whether the request may be made again for a client that lost the answer.
func (r *request) repeatable() bool {
	switch r.Message.Method {
	case "tools/call":
		t := r.s.built.tools.Load().named[r.Params.Name]
		return t != nil && t.ReadOnly && t.Idempotent
	case "tasks/result", "resources/read", "prompts/get":
		return true
	}
	return false
}

// method returns what answers the request: all methods stand here. It returns nil for
// a method that its revision does not have, or that the server does not offer.
func (r *request) method() method {
	b := &r.s.built
	modern := r.Modern()
	switch r.Message.Method {
	case "tools/call":
		return (*request).callTool
	case "tools/list":
		return (*request).listTools
	case "server/discover": // in both eras, for clients that ask before they choose one
		return (*request).discover
	case "subscriptions/listen":
		return when(modern, (*request).listen)
	case "initialize":
		return when(!modern, (*request).initialize)
	case "ping":
		return when(!modern, (*request).ping)
	case "logging/setLevel":
		return when(!modern && r.s.Logging, (*request).setLevel)
	case "resources/list":
		return when(b.resources != nil || r.Single, (*request).listResources)
	case "resources/templates/list":
		return when(b.resources != nil, (*request).listOnePage)
	case "resources/read":
		return when(b.resources != nil, (*request).readResource)
	case "resources/subscribe", "resources/unsubscribe":
		return when(!modern && b.resources != nil && r.s.Changing, (*request).subscribeResource)
	case "prompts/list":
		return when(b.prompts != nil, (*request).listOnePage)
	case "prompts/get":
		return when(b.prompts != nil, (*request).getPrompt)
	case "skills/list":
		return when(r.s.Extensions.Skills != nil, (*request).listSkills)
	case "skills/get":
		return when(r.s.Extensions.Skills != nil, (*request).getSkill)
	case "completion/complete":
		return when(r.s.Completer != nil, (*request).complete)
	}

	if m := eventMethods[r.Message.Method]; m != nil {
		return when(r.s.Extensions.Events != nil, m)
	}
	if r.s.Tasks == nil {
		return nil
	}

	return aboutTask(r.taskMethod(modern, revision.HasCoreTasks(r.Client.Revision)))
}

func (r *request) taskMethod(extension, core bool) method {
	switch r.Message.Method {
	case "tasks/get":
		return either(extension, (*request).getTask, core, (*request).getCoreTask)
	case "tasks/cancel":
		return either(extension, (*request).cancelTask, core, (*request).cancelCoreTask)
	case "tasks/update":
		return when(extension, (*request).updateTask)
	case "tasks/result":
		return when(core, (*request).taskResult)
	}
	return nil
}

func when(ok bool, m method) method {
	if ok {
		return m
	}
	return nil
}

func either(first bool, m method, second bool, n method) method {
	if first {
		return m
	}
	return when(second, n)
}

// ping answers that the server is there.
func (r *request) ping() (json.RawMessage, error) { return json.RawMessage("{}"), nil }
