package mcp

import (
	"encoding/json"
	"strconv"
	"sync"

	"rialto/internal/jsonrpc"
)

// progress returns what sends progress of the call, or does nothing if the client
// did not ask for any.
func (x *exchange) progress() func(message string) {
	token := x.progressToken()
	if token == nil {
		return func(string) {}
	}
	return (&progress{answer: &x.answer, token: token}).send
}

// progressToken returns the token by which the client knows progress, or nil
// if it did not ask for any. It is a string or a number, as an id is.
func (x *exchange) progressToken() json.RawMessage {
	var id jsonrpc.ID
	token := x.params.Meta.ProgressToken
	if len(token) == 0 || id.UnmarshalJSON(token) != nil || id == jsonrpc.Null {
		return nil
	}
	return token
}

// progress sends notifications/progress. One lock counts and sends, so that
// the numbers increase on the wire too.
type progress struct {
	answer *answer
	token  json.RawMessage

	mu sync.Mutex
	n  int64
}

func (p *progress) send(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
	b := append([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`), p.token...)
	b = strconv.AppendInt(append(b, `,"progress":`...), p.n, 10)
	if message != "" {
		b = jsonrpc.AppendString(append(b, `,"message":`...), message)
	}
	p.answer.notify(append(b, "}}"...))
}
