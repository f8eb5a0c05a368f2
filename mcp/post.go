package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

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
	client    Client // its Revision decides the era
	session   string // the id of its session, "" if it has none
	answer    answer
}

// post answers one POST.
func (s *Server) post(w http.ResponseWriter, r *http.Request) {
	x := &exchange{s: s, r: r, principal: s.principal(r), place: &s.calls}
	if !x.place.enter(x.principal, or(s.MaxCalls, 64)) {
		s.writeTooMany(w)
		return
	}
	defer func() { x.place.leave(x.principal) }() // the place may have changed
	x.answer.prepare(w, r, or(s.KeepAlive, 15*time.Second))
	result, err := x.serve()
	switch {
	case errors.Is(err, errAnswered):
	case err != nil:
		x.fail(err)
	default:
		x.answer.finish(http.StatusOK, (&jsonrpc.Response{ID: x.req.ID, Result: result}).Append(nil))
	}
}

func (s *Server) writeTooMany(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	s.writeError(w, "", faultf(http.StatusTooManyRequests, codeServer, "too many requests at one time, try again when one has ended"))
}

// errAnswered is returned when there is nothing left to be said.
var errAnswered = errors.New("answered")

// fail makes err the answer. What it does not tell the client it logs.
func (x *exchange) fail(err error) {
	f := faultOf(err, x.client.Revision)
	if f.err.Code == codeInternal {
		x.s.log().Error("mcp request failed", "method", x.method(), "tool", x.params.Name, "err", err)
	}
	var id jsonrpc.ID
	if x.req != nil {
		id = x.req.ID
	}
	x.answer.finish(f.status, appendError(nil, id, f.err))
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

// bodyTimeout is how long a client may take to send a message.
const bodyTimeout = 30 * time.Second

// read returns the body, which is JSON and not too large.
func (x *exchange) read() ([]byte, error) {
	if !isJSON(x.r.Header.Get("Content-Type")) {
		return nil, faultf(http.StatusUnsupportedMediaType, codeServer, "send messages as application/json")
	}
	most := or(x.s.MaxBody, 4<<20)
	var buf bytes.Buffer
	if n := x.r.ContentLength; n > 0 && n < 64<<10 {
		buf.Grow(int(n) + bytes.MinRead)
	}
	// A read timeout of the whole server would also end the streams that come
	// after, so the body has its own. A recorder knows none, and needs none.
	rc := http.NewResponseController(x.answer.w)
	_ = rc.SetReadDeadline(time.Now().Add(bodyTimeout))
	_, err := buf.ReadFrom(http.MaxBytesReader(x.answer.w, x.r.Body, most))
	_ = rc.SetReadDeadline(time.Time{})
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, faultf(http.StatusRequestEntityTooLarge, codeServer, "a message may have %d bytes", most)
	}
	if err != nil && err != io.EOF {
		return nil, faultf(http.StatusBadRequest, codeParse, "the message broke off")
	}
	return buf.Bytes(), nil
}

func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	t, _, err := mime.ParseMediaType(contentType)
	return err == nil && strings.EqualFold(t, "application/json")
}

// params are the parameters that any of the methods has.
type params struct {
	Meta      meta            `json:"_meta"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Cursor    string          `json:"cursor"`
	RequestID jsonrpc.ID      `json:"requestId"`

	ProtocolVersion string          `json:"protocolVersion"`
	Capabilities    json.RawMessage `json:"capabilities"`
	ClientInfo      program         `json:"clientInfo"`
}

// meta is the part of a request's _meta that is ours to know.
type meta struct {
	Revision      string          `json:"io.modelcontextprotocol/protocolVersion"`
	Client        *program        `json:"io.modelcontextprotocol/clientInfo"`
	Capabilities  json.RawMessage `json:"io.modelcontextprotocol/clientCapabilities"`
	ProgressToken json.RawMessage `json:"progressToken"`
}

type program struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// decode reads the message. A response is taken and dropped: this server asks
// nothing, but clients before 2026-07-28 are allowed to send one.
func (x *exchange) decode(body []byte) error {
	req, resp, err := jsonrpc.Decode(body)
	x.req = req
	if err != nil {
		return &fault{http.StatusBadRequest, err.(*Error)}
	}
	if resp != nil {
		if header, _ := revisionHeader(x.r.Header); modern(header) {
			return faultf(http.StatusBadRequest, codeInvalidRequest, "a client must not send responses")
		}
		x.answer.accepted()
		return errAnswered
	}
	if len(req.Params) == 0 {
		return nil
	}
	if err := jsonv2.Unmarshal(req.Params, &x.params, jsontext.AllowInvalidUTF8(true)); err != nil {
		return faultf(http.StatusBadRequest, codeInvalidParams, "the params are not of the types that the method has")
	}
	return nil
}

// dispatch calls the method.
func (x *exchange) dispatch() (json.RawMessage, error) {
	call := x.lookUp()
	if call == nil {
		return nil, jsonrpc.Errorf(codeMethodNotFound, "there is no method %q here", clip(x.req.Method))
	}
	return call()
}

// lookUp returns what answers the method in the request's era.
func (x *exchange) lookUp() func() (json.RawMessage, error) {
	switch x.req.Method {
	case "tools/call":
		return x.callTool
	case "tools/list":
		return x.listTools
	case "server/discover":
		return x.discover
	}
	switch era := modern(x.client.Revision); {
	case era && x.req.Method == "subscriptions/listen":
		return x.listen
	case !era && x.req.Method == "initialize":
		return x.initialize
	case !era && x.req.Method == "ping":
		return x.ping
	}
	return nil
}

// ping answers that the server is there.
func (x *exchange) ping() (json.RawMessage, error) { return json.RawMessage("{}"), nil }

func invalidParams(format string, args ...any) error {
	return jsonrpc.Errorf(codeInvalidParams, format, args...)
}
