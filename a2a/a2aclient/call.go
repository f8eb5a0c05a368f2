package a2aclient

import (
	"context"
	"encoding/json"
	"net/http"

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

// post sends a call.
func (c *Client) post(ctx context.Context, r route, op wire.Op, params json.RawMessage) (*http.Response, error) {
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
	resp, err := c.dialer.http().Do(req)
	if err != nil {
		return nil, unreachable(ctx, req.URL.Host, err)
	}
	return resp, nil
}

// result reads the answer to a call. Whatever the HTTP status and content type,
// a body that the binding understands says what happened.
func (c *Client) result(ctx context.Context, r route, resp *http.Response) (json.RawMessage, error) {
	body, err := readBody(resp.Body, c.dialer.maxBody())
	if err != nil {
		return nil, unreachable(ctx, resp.Request.URL.Host, err)
	}
	result, refusal, ok := r.binding.decode(r.dialect, resp.StatusCode, body)
	switch {
	case !ok && resp.StatusCode/100 != 2:
		return nil, statusError(resp, body)
	case !ok:
		return nil, garbled("the body is no %s", r.binding.name())
	case refusal != nil:
		return nil, fromResponse(refusal, resp)
	default:
		return result, nil
	}
}
