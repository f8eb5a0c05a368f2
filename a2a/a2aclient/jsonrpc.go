package a2aclient

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
	"rialto/internal/jsonrpc"
)

// jsonRPC is the binding JSONRPC.
type jsonRPC struct{}

func (jsonRPC) name() a2a.Binding { return a2a.JSONRPC }

func (jsonRPC) client(d *Dialer) *http.Client { return d.http() }

func (jsonRPC) dialects() []*wire.Dialect { return wire.Dialects() }

// request gives the call an id that is a string, for servers are known that
// refuse numbers, and fresh, though answers are not held to it: servers are
// known that do not echo it.
func (jsonRPC) request(ctx context.Context, c *Client, r route, op wire.Op, params json.RawMessage) (*http.Request, error) {
	rpc := jsonrpc.Request{ID: jsonrpc.StringID(uuid.NewString()), Method: r.dialect.Method(op), Params: params}
	req, err := c.newRequest(ctx, http.MethodPost, r.url, bytes.NewReader(rpc.Append(nil)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}

func (jsonRPC) decode(d *wire.Dialect, _ int, body []byte) (json.RawMessage, *a2a.Error, bool) {
	answer, err := jsonrpc.DecodeResponse(body)
	switch {
	case err != nil:
		return nil, nil, false
	case answer.Error != nil:
		return nil, d.DecodeError(answer.Error), true
	default:
		return answer.Result, nil, true
	}
}
