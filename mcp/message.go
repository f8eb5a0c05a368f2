package mcp

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/jsonrpc"
)

// bodyTimeout is how long a client may take to send a message.
const bodyTimeout = 30 * time.Second

// read returns the body, which is JSON and not too large.
//
// A read timeout of the whole server would also end the streams that come after,
// so the body has its own, which the keeper minds. What is left of a body that is
// refused, the server reads by the same time before it answers.
func (x *exchange) read() ([]byte, error) {
	x.answer.reading.Store(true)
	x.answer.keeper.add(&x.answer)
	body, err := x.readBody()
	switch inTime := x.answer.reading.CompareAndSwap(true, false); {
	case !inTime:
		return nil, brokenOff()
	case err != nil:
		_ = http.NewResponseController(x.answer.w).SetReadDeadline(time.Now().Add(bodyTimeout))
	}
	return body, err
}

func brokenOff() error {
	return faultf(http.StatusBadRequest, codeParse, "the message broke off")
}

func (x *exchange) readBody() ([]byte, error) {
	if !isJSON(x.r.Header.Get("Content-Type")) {
		return nil, faultf(http.StatusUnsupportedMediaType, codeServer, "send messages as application/json")
	}
	most := or(x.most, or(x.s.MaxBody, 4<<20))
	from := x.r.Body
	if n := x.r.ContentLength; n < 0 || n > most { // else there is no more to read than it tells
		from = http.MaxBytesReader(x.answer.w, from, most)
	}
	body, err := readAll(from, x.r.ContentLength)
	if err == nil {
		return body, nil
	}
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, faultf(http.StatusRequestEntityTooLarge, codeServer, "a message may have %d bytes", most)
	}
	return nil, brokenOff()
}

// readAll reads a body. If it tells how long it is, and is not long, it is read
// into as much as it needs.
func readAll(r io.Reader, length int64) ([]byte, error) {
	if length <= 0 || length > 64<<10 {
		return io.ReadAll(r)
	}
	body := make([]byte, length)
	_, err := io.ReadFull(r, body)
	return body, err
}

func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	t, _, err := mime.ParseMediaType(contentType)
	return err == nil && strings.EqualFold(t, "application/json")
}

// decode reads the message. A response goes to the call that asked for it;
// only clients before 2026-07-28 send any.
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
		session := x.session
		if x.pair == nil {
			session = x.r.Header.Get(gomcp.HeaderSessionID)
		}
		x.s.replied(callKey{x.principal, session, resp.ID}, resp)
		x.answer.accepted()
		return errAnswered
	}
	if len(req.Params) == 0 {
		return nil
	}
	if err := x.params.read(req.Params); err != nil {
		return faultf(http.StatusBadRequest, codeInvalidParams, "the params are not of the types that the method has")
	}
	return nil
}
