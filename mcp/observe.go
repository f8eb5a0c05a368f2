package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"rialto/mcp/internal/transport"
	"rialto/mcp/internal/wire"
)

// Observer observes the requests to a server. It is used concurrently.
type Observer interface {
	// ObserveRequest is called before a request is answered. The request is answered in the
	// context that it returns, and the function is called with the outcome.
	ObserveRequest(context.Context, Operation) (context.Context, func(Outcome))
}

// SessionObserver is an Observer of sessions, too.
type SessionObserver interface {
	// ObserveSession is called when a client has ended its session, which lasted so long.
	ObserveSession(revision string, lasted time.Duration)
}

// Operation is a request to the server, for its Observers.
type Operation struct {
	Method   string // "" if the server has no such method
	Tool     string // the tool that is called, if there is one of this name
	Prompt   string // the prompt that is asked for, if there is one of this name
	Revision string
	Session  string // names the session in notes; "" without one
	ID       string // of the JSON-RPC request
	Hybrid   bool   // it mixes revisions, and is served nevertheless
	URI      string // the resource, clipped
	HTTP     string // the version of HTTP: "1.1"

	// TraceParent and TraceState are those of the caller, from params._meta (SEP-414).
	TraceParent, TraceState string
}

// Outcome is how an operation ended.
type Outcome struct {
	Code      int    // of the JSON-RPC error; 0 is none
	Message   string // of the error
	ToolError bool   // the result of a tool says isError

	// Call, Read and Task are what the operation was: the call of a tool, the reading of a resource,
	// or a request about a task. All are nil for any other, and for one that was refused before.
	Call *Call
	Read *Read
	Task *TaskCall

	Result   *Result // what the tool returned; nil if it failed, or asked the client
	Size     int     // bytes of content in the answer, without its envelope
	Err      error   // what the tool, the resource or the task failed with
	Canceled bool    // by the client, or because it went away
}

// handle answers a request, and reports it to the observers.
func (s *Server) handle(q *transport.Request) (json.RawMessage, error) {
	r := &request{
		Request:  q,
		s:        s,
		identity: cmp.Or(s.Access.Identity(q.HTTP.Context()), s.built.identity),
	}
	m := r.method()
	if len(s.Observers) == 0 {
		return r.answer(m)
	}
	ctx := q.HTTP.Context()
	op := r.operation(m != nil)
	ended := make([]func(Outcome), len(s.Observers))
	for i, o := range s.Observers {
		ctx, ended[i] = o.ObserveRequest(ctx, op) //nolint:fatcontext // one for each observer
	}
	if ctx != q.HTTP.Context() { // a copy of the request is large
		q.HTTP = q.HTTP.WithContext(ctx)
	}
	result, err := r.answer(m)
	outcome := r.ended(err)
	for _, end := range slices.Backward(ended) {
		end(outcome)
	}
	return result, err
}

func (r *request) operation(known bool) Operation {
	op := Operation{
		Revision:    r.Client.Revision,
		Session:     r.Session,
		Hybrid:      r.Hybrid,
		ID:          string(r.Message.ID),
		URI:         wire.Truncate(r.Params.Other().URI),
		HTTP:        strings.TrimPrefix(r.Request.HTTP.Proto, "HTTP/"),
		TraceParent: r.Params.Meta.TraceParent,
		TraceState:  r.Params.Meta.TraceState,
	}
	if !known {
		return op
	}

	op.Method = r.Message.Method
	switch name := r.Params.Name; op.Method {
	case "tools/call":
		if r.s.built.tools.Load().named[name] != nil {
			op.Tool = name
		}
	case "prompts/get":
		if r.s.built.prompts[name] != nil {
			op.Prompt = name
		}
	}

	return op
}

func (r *request) ended(err error) Outcome {
	if err != nil && !errors.Is(err, transport.ErrAnswered) {
		e := wire.AsStatusError(err, r.Modern()).Err
		r.observed.Code = e.Code
		r.observed.Message = e.Message
		r.observed.ToolError = false
	}
	return r.observed
}
