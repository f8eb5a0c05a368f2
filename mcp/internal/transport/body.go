package transport

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/jsonrpc"
	"rialto/mcp/internal/revision"
	"rialto/mcp/internal/wire"
)

// bodyTimeout is how long a client may take to send a message. A read timeout of the
// HTTP server would also end the streams that follow.
const bodyTimeout = 30 * time.Second

// read returns the body, which is JSON and not too large. If it is refused, the HTTP
// server discards the rest within the same timeout.
func (q *Request) read() ([]byte, error) {
	if !isJSON(q.HTTP.Header.Get("Content-Type")) {
		return nil, wire.Refuse(
			http.StatusUnsupportedMediaType, "send messages as application/json",
		)
	}

	conn := http.NewResponseController(q.response.w)
	_ = conn.SetReadDeadline(
		time.Now().Add(bodyTimeout),
	) // a recorder has no deadlines, and needs none
	body, err := q.readBody()
	if err == nil {
		_ = conn.SetReadDeadline(time.Time{})
		return body, nil
	}
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, wire.Refuse(
			http.StatusRequestEntityTooLarge, "a message may have %d bytes", q.maxBody,
		)
	}

	return nil, wire.Errorf(http.StatusBadRequest, jsonrpc.CodeParse, "the message is incomplete")
}

// readBody reads the body. It reads a short body of known length without growing a buffer.
func (q *Request) readBody() ([]byte, error) {
	from := q.HTTP.Body
	length := q.HTTP.ContentLength
	if length < 0 || length > q.maxBody { // else there are no more bytes than length
		from = http.MaxBytesReader(q.response.w, from, q.maxBody)
	}
	if length <= 0 || length > 64<<10 {
		return io.ReadAll(from)
	}

	body := make([]byte, length)
	_, err := io.ReadFull(from, body)
	return body, err
}

func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	t, _, err := mime.ParseMediaType(contentType)
	return err == nil && strings.EqualFold(t, "application/json")
}

// decode reads the message. A response goes to the call that waits for it; only
// clients before 2026-07-28 send any.
func (q *Request) decode(body []byte) error {
	req, resp, err := jsonrpc.Decode(body)
	q.Message = req
	if err != nil {
		return &wire.StatusError{Status: http.StatusBadRequest, Err: err.(*jsonrpc.Error)}
	}
	if resp != nil {
		return q.decodeResponse(resp)
	}
	if len(req.Params) == 0 {
		return nil
	}
	if err := q.Params.Read(req.Params); err != nil {
		return wire.Errorf(
			http.StatusBadRequest,
			jsonrpc.CodeInvalidParams,
			"the params are not of the types that the method has",
		)
	}

	return nil
}

func (q *Request) decodeResponse(resp *jsonrpc.Response) error {
	if header, _ := revision.Header(q.HTTP.Header); revision.Modern(header) {
		return wire.Errorf(
			http.StatusBadRequest, jsonrpc.CodeInvalidRequest, "a client must not send responses",
		)
	}
	id := q.sessionID
	if q.legacy == nil {
		id = q.HTTP.Header.Get(gomcp.HeaderSessionID)
	}
	if q.legacy == nil && id != "" && q.endpoint.Sessions.Open(id, q.Principal) == nil {
		return wire.Errorf(
			http.StatusNotFound, wire.CodeSession, "the session is not known, initialize a new one",
		)
	}
	if err := q.endpoint.responded(q.HTTP.Context(), callKey{q.Principal, id, resp.ID}, resp); err != nil {
		q.endpoint.Log.ErrorContext(
			q.HTTP.Context(), "passing on the answer of a client",
			"err", err,
		)
		q.response.w.Header().Set("Retry-After", "1")
		return wire.Refuse(http.StatusServiceUnavailable, "the answer could not be kept: send it again")
	}
	q.response.accepted()
	return ErrAnswered
}
