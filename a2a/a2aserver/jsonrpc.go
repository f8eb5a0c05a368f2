package a2aserver

import (
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
	"rialto/internal/dberr"
	"rialto/internal/jsonrpc"
)

// call is one call. Its dialect is never nil: errors are encoded in it.
type call struct {
	binding binding
	id      jsonrpc.ID
	dialect *wire.Dialect
	op      wire.Op
	params  []byte
	path    wire.PushID // what the path says of a config of push notifications
	agent   a2a.Agent

	extensions *a2a.Extensions // nil if the caller declares none

	json string // the media type of JSON over HTTP+JSON; "" is jsonType
}

// binding is a protocol binding of answers.
type binding interface {
	// contentType is that of the answer to c if it is no stream.
	contentType(c call) string

	// events begins a stream on w, which sends nothing yet.
	events(w http.ResponseWriter) events

	// result returns the body of an answer, or the data of an event. A nil result
	// is that of a call that has none.
	result(c call, result []byte) []byte

	// refusal returns the same for an error, which is an *a2a.Error or one that the binding
	// made itself, with the HTTP status of an answer: status, or that of the error if it is 0.
	refusal(c call, status int, err error) (int, []byte)
}

// refusal is an error that is not for JSON-RPC alone to tell.
type refusal struct {
	status int
	error
}

func (s *Server) serveCall(w http.ResponseWriter, r *http.Request) {
	c, err := s.decode(w, r)
	s.serve(w, r, c, err)
}

// serve answers a call, or err if it could not be decoded.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, c call, err error) {
	if err != nil {
		s.writeError(w, r, c, err)
		return
	}

	if s.Observer != nil {
		ctx, ended := s.Observer.ObserveCall(
			r.Context(), wire.Dialects()[0].Method(c.op), c.dialect.Generation,
		)
		r = r.WithContext(ctx)
		defer func() { ended(err) }()
	}
	c.extensions = a2a.DeclareExtensions(wire.ExtensionsIn(r.Header))
	if s.Guard != nil {
		err = s.Guard.Allow(w.Header(), r, access(c.op))
	}
	if err == nil && c.op.Streams() {
		s.stream(w, r, c)
		return
	}
	var result []byte
	if err == nil {
		result, err = s.answer(r.Context(), c)
	}
	if err != nil {
		s.writeError(w, r, c, err)
		return
	}
	c.showExtensions(w)
	write(w, http.StatusOK, c.binding.contentType(c), c.binding.result(c, result))
}

// showExtensions sets the header that tells which extensions the agent has activated.
func (c call) showExtensions(w http.ResponseWriter) {
	if uris := c.extensions.Activated(); len(uris) > 0 {
		w.Header().Set(c.dialect.ExtensionsHeader(), strings.Join(uris, ", "))
	}
}

func access(op wire.Op) Access {
	switch op {
	case wire.Send, wire.Stream, wire.Cancel, wire.PushSet, wire.PushDelete:
		return Write
	default:
		return Read
	}
}

// decode reads the call that r carries. With an error it returns what is known of the call.
func (s *Server) decode(w http.ResponseWriter, r *http.Request) (call, error) {
	c := call{binding: jsonRPC{}, dialect: wire.Dialects()[0]}
	body, err := s.readJSON(w, r)
	if err != nil {
		return c, err
	}

	in, err := jsonrpc.DecodeRequest(body)
	if in != nil {
		c.id = in.ID
		c.params = in.Params
	}
	if err != nil {
		return c, err
	}
	if in.IsNotification() {
		return c, a2a.Errorf(
			a2a.InvalidRequest, "the member \"id\" is missing: A2A has no notifications",
		)
	}

	c.dialect, c.op, err = wire.Route(rawVersion(r), in.Method)
	s.chooseAgent(&c, r)
	return c, err
}

// readJSON reads the body of a call that says it is JSON.
func (s *Server) readJSON(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if !isJSON(r.Header.Get("Content-Type")) {
		return nil, refusal{
			http.StatusUnsupportedMediaType,
			a2a.Errorf(a2a.ContentTypeNotSupported, "the body must be application/json"),
		}
	}

	return s.readBody(w, r)
}

// readBody reads the body of a call, whatever its binding.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, cmp.Or(s.MaxBody, DefaultMaxBody)))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, refusal{
			http.StatusRequestEntityTooLarge,
			a2a.Errorf(a2a.InvalidRequest, "the body is larger than %d bytes", large.Limit),
		}
	case err != nil:
		return nil, refusal{
			http.StatusBadRequest,
			a2a.Errorf(a2a.InvalidRequest, "the body could not be read to its end"),
		}
	default:
		return body, nil
	}
}

// chooseAgent finds the agent for c: the agent itself, or for callers of 0.1 one
// that they understand. Where the version was not said it tells by the task that
// c is about whether they are such callers.
func (s *Server) chooseAgent(c *call, r *http.Request) {
	c.agent = s.Agent
	caller := ""
	if s.Guard != nil {
		caller = s.Guard.Caller(r)
	}

	first, _ := wire.ByGeneration(a2a.V01)
	unversioned := rawVersion(r) == "" && first.Method(c.op) == c.dialect.Method(c.op)
	about, err := first.DecodeQuery(c.params)
	if unversioned && err == nil && s.isName(r.Context(), caller, about.ID) {
		c.dialect = first
	}

	if c.dialect.CallersName {
		c.agent = agentV01{s.Agent, &s.names, caller}
	}
}

// isName tells whether a caller has given a task that name, in this process or before.
func (s *Server) isName(ctx context.Context, caller string, id a2a.TaskID) bool {
	return s.names.has(caller, id) || agentV01{agent: s.Agent}.remembered(ctx, id) != ""
}

// isJSON accepts a JSON content type or none. It refuses forms and plain text, which pages
// of other origins can send without a CORS preflight.
func isJSON(contentType string) bool {
	if contentType == "" {
		return true
	}

	t, _, err := mime.ParseMediaType(contentType)
	return err == nil && (t == "application/json" || strings.HasSuffix(t, "+json"))
}

// answer does what c asks for, unless it asks for a stream.
func (s *Server) answer(ctx context.Context, c call) ([]byte, error) {
	switch {
	case c.op == wire.Send:
		return s.send(ctx, c)
	case c.op == wire.Task, c.op == wire.Cancel:
		return s.task(ctx, c)
	case c.op == wire.List:
		return s.list(ctx, c)
	case c.op == wire.ExtendedCard:
		return s.extendedCard(ctx, c.dialect)
	case c.op.Push():
		return s.push(ctx, c)
	default:
		return nil, a2a.Errorf(
			a2a.UnsupportedOperation, "this agent does not offer %s", c.dialect.Method(c.op),
		)
	}
}

func (s *Server) send(ctx context.Context, c call) ([]byte, error) {
	req, err := s.request(c)
	if err != nil {
		return nil, err
	}

	e, err := c.agent.Send(ctx, req)
	if err != nil {
		return nil, err
	}

	return c.dialect.EncodeEvent(limitHistory(e, req.HistoryLength))
}

// request reads the parameters of a call that sends or streams.
func (s *Server) request(c call) (*a2a.SendRequest, error) {
	req, err := c.dialect.DecodeSend(c.params)
	if err != nil {
		return nil, err
	}

	req.Extensions = c.extensions
	if req.Push == nil {
		return req, nil
	}

	if _, ok := s.Agent.(a2a.Pusher); !ok {
		return nil, errNoPush
	}

	return req, nil
}

// task answers a call for a task, or one that cancels it.
func (s *Server) task(ctx context.Context, c call) ([]byte, error) {
	q, err := c.dialect.DecodeQuery(c.params)
	if err != nil {
		return nil, err
	}

	var t *a2a.Task
	if c.op == wire.Cancel {
		q.HistoryLength = nil
		t, err = c.agent.Cancel(ctx, q.ID)
	} else {
		t, err = c.agent.Task(ctx, q)
	}

	if err != nil {
		return nil, err
	}

	return c.dialect.EncodeTask(t.WithHistory(q.HistoryLength))
}

// noExtendedCard tells an agent that has no such card from one that only
// lacks it here, as 1.0 does (section 3.1.11); 0.3 has one error for both.
func (s *Server) noExtendedCard(d *wire.Dialect) error {
	if d.Generation == a2a.V10 && (s.Card == nil || !s.Card.Capabilities.ExtendedAgentCard) {
		return a2a.Errorf(a2a.UnsupportedOperation, "this agent has no extended card")
	}

	return a2a.Errorf(a2a.ExtendedCardMissing, "this agent has no extended card to show")
}

// limitHistory holds the agent to the history that was asked for: the server MUST NOT
// return more (A2A 1.0 section 3.2.4).
func limitHistory(e a2a.Event, history *int) a2a.Event {
	if t, ok := e.(*a2a.Task); ok {
		return t.WithHistory(history)
	}

	return e
}

// writeError is the one place where an error becomes an answer. A streaming call gets it
// as an event; see the package comment.
func (s *Server) writeError(w http.ResponseWriter, r *http.Request, c call, err error) {
	if r.Context().Err() != nil {
		return // the client is gone
	}
	var no refusal
	if errors.As(err, &no) {
		err = no.error
	}

	var e *a2a.Error
	if errors.As(err, &e) && !e.Remote && e.Challenge != "" { // ours, to who may not call
		w.Header().Set("WWW-Authenticate", e.Challenge)
		no.status = e.HTTPStatus
	}

	_, retryLater := dberr.As(err)
	limited := a2a.Is(err, a2a.RateLimited) && w.Header().Get("Retry-After") == ""
	if wait := a2a.RetryAfter(err); wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(wait.Seconds())))
	} else if retryLater || limited {
		w.Header().Set("Retry-After", dberr.RetryAfterHeader)
	}

	status, body := c.binding.refusal(c, no.status, s.publicError(r, c, err))
	write(w, status, cmp.Or(c.json, jsonType), body)
}

// publicError returns the public part of err. Internal errors of the agent are logged.
func (s *Server) publicError(r *http.Request, c call, err error) error {
	var framing *jsonrpc.Error
	var e *a2a.Error
	if errors.As(err, &framing) || errors.As(err, &e) {
		return err
	}

	s.log().ErrorContext(r.Context(), "an agent failed", "op", c.dialect.Method(c.op), "err", err)
	if away, is := dberr.As(err); is {
		return a2a.Errorf(a2a.Unavailable, "%s", away.Text())
	}

	return a2a.Errorf(a2a.Internal, "internal error")
}

type jsonRPC struct{}

func (jsonRPC) contentType(call) string { return jsonType }

func (jsonRPC) events(w http.ResponseWriter) events { return newSSE(w) }

func (jsonRPC) result(c call, result []byte) []byte {
	if result == nil {
		result = []byte("null")
	}

	return (&jsonrpc.Response{ID: c.id, Result: result}).Append(nil)
}

func (jsonRPC) refusal(c call, status int, err error) (int, []byte) {
	resp := &jsonrpc.Response{ID: c.id}
	var e *a2a.Error
	if !errors.As(err, &resp.Error) && errors.As(err, &e) {
		resp.Error = c.dialect.EncodeError(e)
	}

	return cmp.Or(status, http.StatusOK), resp.Append(nil)
}

// The media types of answers: jsonType, and over HTTP+JSON the type of A2A 1.0.1 section 14.1.1 for
// callers that accept it.
const (
	jsonType = "application/json"
	a2aType  = "application/a2a+json"
)

func write(w http.ResponseWriter, status int, kind string, body []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that is gone needs no answer
}
