package mcp

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"rialto/internal/jsonrpc"
)

// exchange is one message that was posted, and what is known about it.
type exchange struct {
	s         *Server
	r         *http.Request
	principal string
	place     *limiter // where the principal is counted while this lasts
	req       *jsonrpc.Request
	params    params
	client    Client        // its Revision decides the era
	session   string        // the id of its session, "" if it has none
	nonce     string        // the session's name in notes of it
	pair      *pair         // the stream that is its session, in 2024-11-05; mostly nil
	door      bool          // it came to the address of one method
	most      int64         // bytes that it may have; zero means Server.MaxBody
	goesOn    time.Duration // of the tool that is called
	call      callContext   // of what answers the request
	asker     asker         // for the same
	answer    answer
}

// post answers one POST.
func (s *Server) post(w http.ResponseWriter, r *http.Request) {
	x := &exchange{s: s, r: r, principal: s.principal(r), place: &s.calls}
	if !x.place.enter(x.principal, or(s.MaxCalls, 64)) {
		s.writeTooMany(w)
		return
	}
	defer func() { x.answer.leave(); x.place.leave(x.principal) }() // the place may have changed
	x.answer.prepare(s, w, r)
	x.finish(x.serve())
}

// finish answers with the result or the error.
func (x *exchange) finish(result json.RawMessage, err error) {
	switch {
	case errors.Is(err, errAnswered):
	case err != nil:
		x.fail(err)
	default:
		x.answer.finish(http.StatusOK, (&jsonrpc.Response{ID: x.req.ID, Result: result}).Append(make([]byte, 0, len(result)+64)))
	}
}

func (s *Server) writeTooMany(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	s.writeError(w, "", faultf(http.StatusTooManyRequests, codeServer, "too many requests at one time, try again when one has ended"))
}

// errAnswered is returned when there is nothing left to be said.
var errAnswered = errors.New("answered")

// fail makes err the answer.
func (x *exchange) fail(err error) {
	f := x.faultOf(err)
	var id jsonrpc.ID
	if x.req != nil {
		id = x.req.ID
	}
	x.answer.finish(f.status, appendError(nil, id, f.err))
}

// faultOf returns err as a fault. What that does not tell the client it logs,
// unless the client has hung up: then calls fail because of it.
func (x *exchange) faultOf(err error) *fault {
	f := faultOf(err, x.client.Revision)
	if f.err.Code == codeInternal && x.r.Context().Err() == nil {
		x.s.log().Error("mcp request failed", "method", x.method(), "tool", x.params.Name, "err", err)
	}
	return f
}

func (x *exchange) method() string {
	if x.req == nil {
		return ""
	}
	return x.req.Method
}

// serve returns the result that answers the message.
func (x *exchange) serve() (json.RawMessage, error) {
	body, err := x.read()
	if err != nil {
		return nil, err
	}
	if err := x.decode(body); err != nil {
		return nil, err
	}
	if err := x.settle(); err != nil {
		return nil, err
	}
	if x.req.IsNotification() {
		x.notified()
		x.answer.accepted()
		return nil, errAnswered
	}
	return x.dispatch()
}
