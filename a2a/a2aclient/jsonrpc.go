package a2aclient

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/google/uuid"

	"rialto/a2a/internal/wire"
	"rialto/internal/jsonrpc"
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

// post sends a call. Its id is a string, for servers are known that refuse
// numbers, and fresh, though answers are not held to it: servers are known that
// do not echo it.
func (c *Client) post(ctx context.Context, r route, op wire.Op, params json.RawMessage) (*http.Response, error) {
	rpc := jsonrpc.Request{ID: jsonrpc.StringID(uuid.NewString()), Method: r.dialect.Method(op), Params: params}
	req, err := c.newRequest(ctx, http.MethodPost, r.url, bytes.NewReader(rpc.Append(nil)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
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
// a body that is JSON-RPC says what happened.
func (c *Client) result(ctx context.Context, r route, resp *http.Response) (json.RawMessage, error) {
	body, err := readBody(resp.Body, c.dialer.maxBody())
	if err != nil {
		return nil, unreachable(ctx, resp.Request.URL.Host, err)
	}
	answer, err := jsonrpc.DecodeResponse(body)
	switch {
	case err != nil && resp.StatusCode/100 != 2:
		return nil, statusError(resp, body)
	case err != nil:
		return nil, garbled("the body is no JSON-RPC response")
	case answer.Error != nil:
		return nil, fromResponse(r.dialect.DecodeError(answer.Error), resp)
	default:
		return answer.Result, nil
	}
}
