package transport

import (
	"encoding/json"
	"net/http"
	"strings"

	"rialto/internal/jsonrpc"
	"rialto/mcp/internal/session"
	"rialto/mcp/internal/wire"
)

// A process that does not have a stream, because it started later or is another replica, cannot
// replay it. So the ids of a call's events also name the request by which the client gets the
// result in another way, and a client that comes back with one gets its answer
// under the id of its call. Clients that get an error status here retry until the timeout of the call, or
// give up and wait for it.

// maxContinuation bounds the params of the request in an event id, which is a header.
const maxContinuation = 1 << 10

// changesNote marks the ids of the events of a session's stream of changes.
const changesNote = "changes"

// continuation is what the event ids of a call carry.
type continuation struct {
	ID     jsonrpc.ID      `json:"i"`           // of the call
	Method string          `json:"m,omitempty"` // of the request that continues it; "" if there is none
	Params json.RawMessage `json:"p,omitempty"`
}

// ContinueWith sets the request that brings the result of this one to a client that comes back
// for it elsewhere. It must have no effect that matters if it is made twice. Params is called
// when an event id is first made, and may return nil if there is no such request.
func (q *Request) ContinueWith(method string, params func() json.RawMessage) {
	a := &q.response
	a.mu.Lock()
	defer a.mu.Unlock()
	q.continuedBy = method
	q.continuedWith = params
	if a.log != nil && !a.over { // the client has an id without it
		a.log.SetNote(a.note())
		a.prime()
	}
}

// note returns what the event ids of the stream carry. The lock is held.
func (a *response) note() string {
	q := a.request
	if q == nil {
		return changesNote
	}

	c := continuation{ID: q.Message.ID}
	if q.continuedWith != nil {
		if p := withoutMeta(q.continuedWith()); len(p) > 0 && len(p) <= maxContinuation {
			c.Method = q.continuedBy
			c.Params = p
		}
	}

	return q.endpoint.sealContinuation(q.Principal, q.Session, &c)
}

// withoutMeta returns params without _meta: its progress token belongs to the progress so far.
func withoutMeta(params json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(params, &members) != nil {
		return nil
	}
	delete(members, "_meta")
	b, _ := json.Marshal(members) // it has been read from JSON
	return b
}

func (e *Endpoint) sealContinuation(principal, nonce string, c *continuation) string {
	b, err := json.Marshal(c)
	if err != nil {
		return "" // without a note, the stream can be resumed here only
	}
	return session.Seal(e.Sessions.Key, continuationPurpose+nonce, principal, b)
}

// continuationPurpose and the session's nonce bind a note to the session.
const continuationPurpose = "mcp event "

// continuationOf returns what the event id carries, nil if it is not an id of the session.
func (e *Endpoint) continuationOf(principal, nonce, eventID string) *continuation {
	_, note, _ := strings.Cut(eventID, ".")
	b := session.Unseal(e.Sessions.Key, continuationPurpose+nonce, principal, note)
	var c continuation
	if b == nil || json.Unmarshal(b, &c) != nil {
		return nil
	}
	return &c
}

// errInterrupted is the answer to a call that nothing continues.
var errInterrupted = wire.Refuse(
	http.StatusOK,
	"the server was restarted, or the connection moved to another server, while it answered this request. "+
		"A request that only reads can be sent again. If it sent a message to an agent, look with list_tasks whether there is a task before you send it again",
)

// answerContinuation answers a call whose stream this process does not have, on a new stream.
func (e *Endpoint) answerContinuation(
	w http.ResponseWriter,
	r *http.Request,
	open *session.Session,
	sessionID string,
	c *continuation,
) {
	q := e.enter(w, r)
	if q == nil {
		return
	}
	defer q.leave()
	q.Message = &jsonrpc.Request{ID: c.ID, Method: c.Method, Params: c.Params}
	q.Client = open.Client
	q.sessionID = sessionID
	q.Session = open.Nonce
	q.response.inSession(e, q, q.Principal, open)
	q.ContinueWith(c.Method, func() json.RawMessage { return c.Params })
	q.response.takes = accept{stream: true}
	q.response.open()
	if c.Method == "" {
		q.finish(nil, errInterrupted)
		return
	}
	if err := q.Params.Read(c.Params); err != nil { // this server has sealed them
		q.finish(nil, err)
		return
	}

	q.finish(e.Server.Handle(q))
}
