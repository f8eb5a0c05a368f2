package transport

import (
	"encoding/json"
	"net/http"

	"rialto/internal/dberr"
	"rialto/internal/jsonrpc"
	"rialto/mcp/internal/revision"
	"rialto/mcp/internal/wire"
)

// MethodHandler returns a handler that answers one method at an address of its own, for programs
// that speak HTTP rather than MCP, and for clients that look at a server before they log in. It
// takes a message of the method and answers it, or takes the params alone (or nothing, or GET) and
// answers with the result alone, or with {"error":…} and a status. It begins no session.
func (e *Endpoint) MethodHandler(method string, maxBody int64, verbs ...string) http.Handler {
	return e.only(func(w http.ResponseWriter, r *http.Request) {
		q := e.enter(w, r)
		if q == nil {
			return
		}
		defer q.leave()
		q.Single = true
		if maxBody != 0 {
			q.maxBody = maxBody
		}
		q.answerMethod(method)
	}, verbs...)
}

func (q *Request) answerMethod(method string) {
	bare, err := q.readMethod(method)
	if err == nil && !bare {
		err = q.negotiate()
	}

	var result json.RawMessage
	if err == nil {
		result, err = q.endpoint.Server.Handle(q)
	}

	switch {
	case !bare:
		q.finish(result, err)
	case err != nil:
		q.failBare(err)
	default:
		q.response.finish(http.StatusOK, result)
	}
}

// readMethod reads the request of a MethodHandler. Bare tells that it is no message,
// so that the response must not be one either.
func (q *Request) readMethod(method string) (bare bool, err error) {
	var body []byte
	if q.HTTP.Method != http.MethodGet && q.HTTP.ContentLength != 0 {
		body, err = q.read()
	}
	if err != nil {
		return true, err
	}

	var is struct {
		JSONRPC json.RawMessage `json:"jsonrpc"`
	}
	if len(body) > 0 && !json.Valid(body) {
		return true, wire.Errorf(http.StatusBadRequest, jsonrpc.CodeParse, "the body is not JSON")
	}

	bare = json.Unmarshal(body, &is) != nil || is.JSONRPC == nil
	if bare {
		q.response.takes = accept{json: true}
		q.Client = wire.Client{Revision: revision.V20251125}.FromUserAgent(q.HTTP.UserAgent())
		body = (&jsonrpc.Request{ID: jsonrpc.IntID(0), Method: method, Params: body}).Append(nil)
	}
	if err := q.decode(body); err != nil {
		return bare, err
	}
	if q.Message.Method != method || q.Message.IsNotification() {
		return bare, wire.Errorf(
			http.StatusBadRequest,
			jsonrpc.CodeInvalidRequest,
			"this address takes requests of the method %s",
			method,
		)
	}

	return bare, nil
}

// failBare answers a request that was no message with an error, and a status that says
// whose error it is.
func (q *Request) failBare(err error) {
	f := *q.statusError(err)
	if f.Status == http.StatusOK {
		f.Status = http.StatusBadRequest
		if f.Err.Code == jsonrpc.CodeInternal {
			f.Status = http.StatusInternalServerError
		}
		if _, away := dberr.As(err); away {
			f.Status = http.StatusServiceUnavailable
		}
	}

	q.response.finish(f.Status, append(f.Err.Append([]byte(`{"error":`)), '}'))
}
