package transport

import (
	"encoding/json"
	"errors"
	"net/http"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/dberr"
	"rialto/internal/jsonrpc"
	"rialto/internal/quota"
	"rialto/mcp/internal/revision"
	"rialto/mcp/internal/wire"
)

// Request is one message of a client, and what is known about it.
type Request struct {
	HTTP      *http.Request
	Principal string
	Message   *jsonrpc.Request
	Params    wire.Params
	Client    wire.Client // its Revision decides the era
	Session   string      // names its session in notes; "" without one
	Single    bool        // it came to a MethodHandler
	Lenient   bool        // the headers of its revision may be absent
	Hybrid    bool        // it mixes revisions

	endpoint  *Endpoint
	uncount   func() // ends the count of the request among calls, or streams
	maxBody   int64
	sessionID string
	legacy    *legacyStream // its session, with HTTP with SSE; usually nil
	response  response

	continuedBy   string // see ContinueWith
	continuedWith func() json.RawMessage
}

// ErrAnswered is returned for a request that needs no further answer.
var ErrAnswered = errors.New("answered")

func (e *Endpoint) post(w http.ResponseWriter, r *http.Request) {
	q := e.enter(w, r)
	if q == nil {
		return
	}
	defer q.leave()
	q.finish(q.serve())
}

// enter returns a request of the principal. If it has too many it answers and returns nil.
func (e *Endpoint) enter(w http.ResponseWriter, r *http.Request) *Request {
	q := &Request{
		HTTP:      r,
		Principal: e.Server.Principal(r),
		endpoint:  e,
		maxBody:   e.Limits.MaxBody,
	}
	var refused *quota.Refusal
	q.uncount, refused = e.acquire(w.Header(), r, q.Principal)
	if refused != nil {
		writeError(w, wire.Refuse(refused.Status(), "%s", refused.Reason))
		return nil
	}

	q.response.init(w, r, e.Limits.KeepAlive)
	return q
}

func (q *Request) leave() {
	q.response.close()
	q.uncount()
}

// serve returns the result that answers the message.
func (q *Request) serve() (json.RawMessage, error) {
	body, err := q.read()
	if err != nil {
		return nil, err
	}
	if err := q.decode(body); err != nil {
		return nil, err
	}
	if err := q.negotiate(); err != nil {
		return nil, err
	}
	if q.Message.IsNotification() {
		q.notified()
		q.response.accepted()
		return nil, ErrAnswered
	}

	return q.endpoint.Server.Handle(q)
}

func (q *Request) finish(result json.RawMessage, err error) {
	switch {
	case errors.Is(err, ErrAnswered):
	case err != nil:
		f := q.statusError(err)
		var id jsonrpc.ID
		if q.Message != nil {
			id = q.Message.ID
		}
		q.response.finish(f.Status, wire.AppendError(nil, id, f.Err))
	default:
		q.response.finish(
			http.StatusOK,
			(&jsonrpc.Response{ID: q.Message.ID, Result: result}).Append(
				make([]byte, 0, len(result)+64),
			),
		)
	}
}

// statusError returns err as the client gets it. It logs an unexpected error, unless
// the client has disconnected, which makes calls fail.
func (q *Request) statusError(err error) *wire.StatusError {
	f := wire.AsStatusError(err, q.Modern())
	_, away := dberr.As(err)
	if away {
		q.response.again(dberr.RetryAfterHeader)
	}
	if (away || f.Err.Code == jsonrpc.CodeInternal) && q.HTTP.Context().Err() == nil {
		q.endpoint.Log.ErrorContext(
			q.HTTP.Context(), "mcp request failed",
			"method", q.method(),
			"tool", q.Params.Name,
			"err", err,
		)
	}

	return f
}

func (q *Request) method() string {
	if q.Message == nil {
		return ""
	}
	return q.Message.Method
}

// Modern tells whether the request belongs to the era of 2026-07-28.
func (q *Request) Modern() bool { return revision.Modern(q.Client.Revision) }

// Notify sends a message ahead of the result, if the client takes streams.
func (q *Request) Notify(message []byte) { q.response.notify(message) }

// TakesStream tells whether the client accepts an event stream.
func (q *Request) TakesStream() bool { return q.response.takes.stream }

// KeepAlive begins to write comments while the request is being answered.
func (q *Request) KeepAlive() { q.response.keepAlive() }

// StartSession begins a session of the client, if it can have one.
func (q *Request) StartSession(c wire.Client) error {
	q.Client = c
	switch {
	case q.legacy != nil:
		q.legacy.identify(c)
	case !q.Single && len(q.endpoint.Sessions.Key) > 0:
		id, err := q.endpoint.Sessions.New(q.Principal, c)
		if err != nil {
			return err
		}
		q.response.w.Header().Set(gomcp.HeaderSessionID, id)
	}

	return nil
}

// Listen counts the request as an event stream instead of a call.
func (q *Request) Listen() error {
	e := q.endpoint
	closed, err := e.openStream(q.HTTP.Context(), q.Principal)
	if err != nil {
		q.response.w.Header().Set("Retry-After", "60")
		return err
	}
	q.uncount()
	q.uncount = closed
	return nil
}
