package a2aclient

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
	"rialto/internal/sse"
)

// call asks for op over r and returns the result.
func (c *Client) call(ctx context.Context, r route, op wire.Op, params json.RawMessage) (json.RawMessage, error) {
	resp, err := c.post(ctx, r, op, params)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return c.result(ctx, r, resp)
}

// post sends a call, unless the agent has not worked for a while.
func (c *Client) post(ctx context.Context, r route, op wire.Op, params json.RawMessage) (*http.Response, error) {
	if err := c.broken.allow(time.Now(), c.dialed.Host); err != nil {
		return nil, err
	}
	resp, err := c.do(ctx, r.binding.client(c.dialer), func() (*http.Request, error) { return c.request(ctx, r, op, params) })
	if err != nil {
		c.worked(err)
	}
	return resp, err
}

// worked tells the breaker how a call went: err is nil, or why no answer of the
// agent's was read.
func (c *Client) worked(err error) {
	switch e := asError(err); {
	case err == nil, e != nil && e.Remote && e.HTTPStatus/100 != 5:
		c.broken.report(time.Now(), true)
	case e != nil && !e.NotSent && e.Code == a2a.Unavailable, e != nil && e.Remote:
		c.broken.report(time.Now(), false)
	} // else the caller gave up, or we did
}

func (c *Client) request(ctx context.Context, r route, op wire.Op, params json.RawMessage) (*http.Request, error) {
	req, err := r.binding.request(ctx, c, r, op, params)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	if op.Streams() {
		req.Header.Set("Accept", sse.ContentType+", application/json")
	}
	if r.dialect.Versioned {
		req.Header.Set(wire.VersionHeader, string(r.dialect.Generation))
	}
	return req, nil
}

// result reads the answer to a call. Whatever the HTTP status and content type,
// a body that the binding understands says what happened.
func (c *Client) result(ctx context.Context, r route, resp *http.Response) (json.RawMessage, error) {
	body, err := readBody(resp.Body, c.dialer.maxBody())
	if err != nil {
		err = unreachable(ctx, resp.Request.URL.Host, err)
		c.worked(err)
		return nil, err
	}
	result, refusal, ok := r.binding.decode(r.dialect, resp.StatusCode, body)
	if !ok && resp.StatusCode/100 != 2 {
		err := statusError(resp, body)
		c.worked(err)
		return nil, err
	}
	c.worked(nil)
	switch {
	case !ok:
		return nil, garbled("the body is no %s", r.binding.name())
	case refusal != nil:
		return nil, fromResponse(refusal, resp)
	default:
		return result, nil
	}
}
