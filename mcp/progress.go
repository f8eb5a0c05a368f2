package mcp

import (
	"encoding/json"
	"fmt"
	"sync"

	"rialto/internal/jsonrpc"
	"rialto/mcp/internal/wire"
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
	params := fmt.Appendf(nil, `"progressToken":%s,"progress":%d`, p.token, p.n)
	if message != "" {
		params = fmt.Appendf(params, `,"message":%s`, quoted(message))
	}
	p.r.Notify(wire.Notification("notifications/progress", params))
}
