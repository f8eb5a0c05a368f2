package a2aclient

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
	"rialto/internal/jsonrpc"
)

type jsonRPC struct{ overHTTP }

func (jsonRPC) name() a2a.Binding { return a2a.JSONRPC }

func (jsonRPC) dialects() []*wire.Dialect { return wire.Dialects() }

func (b jsonRPC) send(
	ctx context.Context,
	c *Client,
	r route,
	op wire.Op,
	params []byte,
) (*http.Request, *http.Response, error) {
	req, err := b.request(ctx, c, r, op, params)
	return b.carry(c, r, op, req, err)
}

// request gives the call an id that is a string, for servers are known that refuse numbers, and
// fresh, though answers are not held to it: servers are known that do not echo it.
func (jsonRPC) request(
	ctx context.Context,
	c *Client,
	r route,
	op wire.Op,
	params []byte,
) (*http.Request, error) {
	rpc := jsonrpc.Request{ID: freshID(), Method: r.dialect.Method(op), Params: params}
	body := rpc.Append(make([]byte, 0, len(params)+rpcFrame))
	req, err := c.newRequest(ctx, http.MethodPost, *r.target, body)
	if err != nil {
		return nil, err
	}

	req.Header["Content-Type"] = onlyJSON
	return req, nil
}

// freshID returns an id that no other call has: 128 bits by chance, which need not be secret.
func freshID() jsonrpc.ID {
	b := append(make([]byte, 0, 40), '"')
	b = strconv.AppendUint(b, rand.Uint64(), 36)
	b = strconv.AppendUint(append(b, '-'), rand.Uint64(), 36)
	return jsonrpc.ID(append(b, '"'))
}

func (jsonRPC) target(_ *url.URL, raw string) *url.URL { return anyTarget(raw) }

// rpcFrame is how much a request has around its parameters, at most times.
const rpcFrame = 128

func (jsonRPC) decode(d *wire.Dialect, _ int, body []byte) ([]byte, *a2a.Error, bool) {
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
