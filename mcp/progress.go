package mcp

import (
	"encoding/json"
	"strconv"
	"sync"

	"rialto/internal/jsonrpc"
)

// progress returns a function that sends notifications/progress of the call. It does
// nothing if the client did not ask for progress.
func (r *request) progress() func(message string) {
	token := r.Params.Meta.ProgressToken // a string or a number, as an id is
	var id jsonrpc.ID
	if len(token) == 0 || id.UnmarshalJSON(token) != nil || id == jsonrpc.Null {
		return func(string) {}
	}
	return (&progress{r: r, token: token}).send
}

// progress sends notifications/progress. One lock counts and sends, so that the numbers
// increase on the wire too.
type progress struct {
	r     *request
	token json.RawMessage

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
	p.r.Notify(append(b, "}}"...))
}
