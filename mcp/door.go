package mcp

import (
	"encoding/json"
	"net/http"
	"slices"

	"rialto/internal/jsonrpc"
)

// mostPublicBody bounds what nobody in particular may send.
const mostPublicBody = 64 << 10

// MethodHandler returns a handler that answers one method at an address of its own, for
// programs that speak HTTP rather than MCP, and for clients that look at a
// server before they log in. It takes a message of that method and answers it,
// or takes the params alone (or nothing at all, or GET) and answers with the
// result alone, or with {"error":…} and a status. It gives out no session.
func (s *Server) MethodHandler(method string, verbs ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case s.guard(w, r):
		case s.prepare() != nil:
			s.writeError(w, "", faultf(http.StatusInternalServerError, codeInternal, "internal error"))
		case !slices.Contains(verbs, r.Method):
			s.allowOnly(w, verbs...)
		default:
			s.answerDoor(w, r, method)
		}
	})
}

func (s *Server) answerDoor(w http.ResponseWriter, r *http.Request, method string) {
	x := &exchange{s: s, r: r, principal: s.principal(r), place: &s.calls, door: true}
	if !x.place.enter(x.principal, or(s.MaxCalls, 64)) {
		s.writeTooMany(w)
		return
	}
	defer func() { x.answer.leave(); x.place.leave(x.principal) }()
	x.answer.prepare(s, w, r)
	bare, err := x.readDoor(method)
	if err == nil && !bare {
		err = x.settle()
	}
	var result json.RawMessage
	if err == nil {
		result, err = x.dispatchDoor()
	}
	switch {
	case !bare:
		x.finish(result, err)
	case err != nil:
		x.failBare(err)
	default:
		x.answer.finish(http.StatusOK, result)
	}
}

// readDoor reads what was sent to the door of a method. It tells whether it
// was no message, so that the answer is none either.
func (x *exchange) readDoor(method string) (bare bool, err error) {
	if method != "tools/call" {
		x.most = mostPublicBody
	}
	var body []byte
	if x.r.Method != http.MethodGet && x.r.ContentLength != 0 {
		if body, err = x.read(); err != nil {
			return true, err
		}
	}
	var is struct {
		JSONRPC json.RawMessage `json:"jsonrpc"`
	}
	if len(body) > 0 && !json.Valid(body) {
		return true, faultf(http.StatusBadRequest, codeParse, "the body is not JSON")
	}
	if bare = json.Unmarshal(body, &is) != nil || is.JSONRPC == nil; bare {
		x.answer.takes = accept{json: true}
		x.client = fromUserAgent(Client{Revision: Revision20251125}, x.r.UserAgent())
		body = (&jsonrpc.Request{ID: jsonrpc.IntID(0), Method: method, Params: body}).Append(nil)
	}
	if err := x.decode(body); err != nil {
		return bare, err
	}
	if x.req.Method != method || x.req.IsNotification() {
		return bare, faultf(http.StatusBadRequest, codeInvalidRequest, "this address takes requests of the method %s", method)
	}
	return bare, nil
}

// dispatchDoor calls the method. A door shows nothing where there is nothing.
func (x *exchange) dispatchDoor() (json.RawMessage, error) {
	if x.req.Method == "resources/list" && x.s.ready.resources == nil {
		return x.result(cacheHint, "resources", json.RawMessage("[]")), nil
	}
	return x.dispatch()
}

// failBare answers an error to who sent no message: with a status that says
// whose it is.
func (x *exchange) failBare(err error) {
	f := x.faultOf(err)
	if f.status == http.StatusOK {
		f.status = http.StatusBadRequest
		if f.err.Code == codeInternal {
			f.status = http.StatusInternalServerError
		}
	}
	x.answer.finish(f.status, append(f.err.Append([]byte(`{"error":`)), '}'))
}
