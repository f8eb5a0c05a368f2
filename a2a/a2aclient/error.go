package a2aclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
	"rialto/internal/dberr"
	"rialto/internal/neterr"
)

// remote reports whether the agent itself said err.
func remote(err error) bool {
	e := asError(err)
	return e != nil && e.Remote
}

// asError returns the *a2a.Error in err, or nil.
func asError(err error) *a2a.Error {
	e, _ := errors.AsType[*a2a.Error](err)
	return e
}

// unreachable is the error for an answer that did not come, or not whole. When the caller gave up
// it is the caller's own error, and a cause that says in our words what is wrong stays as it is.
func unreachable(ctx context.Context, host string, cause error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if known := asError(cause); known != nil {
		return known
	}

	var request *url.Error
	if errors.As(cause, &request) {
		cause = request.Err // without the URL, which may hold secrets
	}

	code := a2a.Unavailable
	if errors.Is(cause, a2a.ErrTooLarge) {
		code = a2a.InvalidAgentResponse
	}

	return noAnswer(code, host, cause)
}

func noAnswer(code a2a.Code, host string, cause error) *a2a.Error {
	e := a2a.Errorf(code, "no answer from the agent at %s: %v", host, neterr.Explain(cause))
	e.Cause = cause
	// A POST that was sent on one connection is never sent on another.
	op, ok := errors.AsType[*net.OpError](cause)
	if ok && slices.Contains([]string{"dial", "proxyconnect"}, op.Op) {
		e.Cause = fmt.Errorf("%w: %w", a2a.ErrNotConnected, cause)
	}
	e.NotSent = errors.Is(e.Cause, a2a.ErrNotConnected)
	return e
}

// invalidAnswer is the error for an answer that is not A2A.
func invalidAnswer(format string, args ...any) *a2a.Error {
	return a2a.Errorf(a2a.InvalidAgentResponse, "the agent's answer is not A2A: "+format, args...)
}

// undecodable is the error for an answer that no decoder takes.
func undecodable(err error) *a2a.Error {
	e := invalidAnswer("%v", err)
	if errors.Is(err, wire.ErrTooMany) {
		e.Cause = a2a.ErrTooLarge
	}
	return e
}

// tooLarge is the error for an answer or an event of more than limit bytes.
func tooLarge(limit int64) error {
	return fmt.Errorf("%w: more than %d bytes", a2a.ErrTooLarge, limit)
}

// tooSlow is the error for an answer or an event that took longer than limit.
func tooSlow(limit time.Duration) error {
	return fmt.Errorf("its answer took longer than %s", limit)
}

// statusError is the error for an HTTP answer whose body is no JSON-RPC.
func statusError(resp *http.Response, body []byte) *a2a.Error {
	if e := wantsTLS(resp, body); e != nil {
		return fromResponse(e, resp)
	}
	code := statusCode(resp.StatusCode)
	status := resp.StatusCode
	text := http.StatusText(resp.StatusCode)
	e := a2a.Errorf(code, "the agent answered HTTP %d %s", status, text)
	switch {
	case status/100 == 3:
		e = a2a.Errorf(
			code,
			"the agent answered HTTP %d %s, a redirect to %s that is not followed",
			status, text, location(resp),
		)
	case len(bytes.TrimSpace(body)) == 0:
	case json.Valid(body):
		e.Data = body
	case strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain"):
		e.Message += ": " + beginning(body)
	default:
		e.Message += ": " + describeBody(resp, body)
	}
	e.Unclear = mayHaveReachedAgent(resp.StatusCode)
	return fromResponse(e, resp)
}

// mayHaveReachedAgent reports whether a server that answers with an HTTP status, and not in
// A2A, may have passed the call on to the agent: it waited in vain, or broke at it.
// One that says it is busy or knows no such thing has not.
func mayHaveReachedAgent(status int) bool {
	return status/100 == 5 && status != http.StatusNotImplemented &&
		status != http.StatusServiceUnavailable
}

// fromResponse adds the status and headers of resp to e.
func fromResponse(e *a2a.Error, resp *http.Response) *a2a.Error {
	e.Remote = true
	e.HTTPStatus = resp.StatusCode
	e.Challenge = strings.Join(resp.Header.Values("WWW-Authenticate"), ", ")
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		e.Code = a2a.Unauthenticated // the status decides, whatever the body says
	case http.StatusForbidden:
		e.Code = a2a.Forbidden
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		if e.RetryAfter > 0 {
			break // noted before
		}
		e.RetryAfter = dberr.ReadRetryAfter(resp.Header, time.Now(), longestRetry)
		if e.RetryAfter > 0 {
			e.Message += fmt.Sprintf(" (retry after %s)", e.RetryAfter)
		}
	}

	return e
}

// longestRetry bounds how long an agent can ask us to wait.
const longestRetry = 10 * time.Minute

// statusCode reads an HTTP status that nothing explains. That a path or method
// does not exist means that no agent saw the call.
func statusCode(status int) a2a.Code {
	switch {
	case status == http.StatusUnauthorized:
		return a2a.Unauthenticated
	case status == http.StatusForbidden:
		return a2a.Forbidden
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		return a2a.MethodNotFound
	case status == http.StatusTooManyRequests:
		return a2a.RateLimited
	case status == http.StatusBadGateway,
		status == http.StatusServiceUnavailable, status == http.StatusGatewayTimeout:
		return a2a.Unavailable
	case status/100 == 4:
		return a2a.InvalidParams
	case status/100 == 3:
		return a2a.InvalidAgentResponse
	default:
		return a2a.Internal
	}
}

// commonBody is how much room is made for a body whose length is known, before it is there.
const commonBody = 64 << 10

// readBody reads the body of resp, if it is not larger than limit and comes within answerTime.
func readBody(resp *http.Response, limit int64, memory *reservation) ([]byte, error) {
	if there, ok := resp.Body.(interface{ Bytes() []byte }); ok {
		return there.Bytes(), nil // in memory, and bounded by who read it
	}
	late := time.AfterFunc(answerTime, func() { resp.Body.Close() })
	b, err := readAll(resp, limit, memory)
	if !late.Stop() && err != nil {
		err = tooSlow(answerTime)
	}
	return b, err
}

func readAll(resp *http.Response, limit int64, memory *reservation) ([]byte, error) {
	if n := resp.ContentLength; n > 0 && n <= min(limit, commonBody) {
		b := make([]byte, n)
		_, err := io.ReadFull(resp.Body, b)
		return b, err
	}

	b, err := io.ReadAll(
		io.LimitReader(&reservedReader{Reader: resp.Body, memory: memory}, limit+1),
	)
	if err == nil && int64(len(b)) > limit {
		return nil, tooLarge(limit)
	}

	return b, err
}
