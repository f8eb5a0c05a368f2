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

// send gives the call an id that is a string, for servers are known that refuse numbers, and
// fresh, though answers are not held to it: servers are known that do not echo it.
func (b jsonRPC) send(
	ctx context.Context, c *Client, q call,
) (*http.Request, *http.Response, error) {
	rpc := jsonrpc.Request{ID: freshID(), Method: q.dialect.Method(q.op), Params: q.params}
	body := rpc.Append(make([]byte, 0, len(q.params)+rpcFrame))
	req, err := c.newRequest(ctx, http.MethodPost, *q.target, body)
	return b.carry(c, q, req, err)
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
