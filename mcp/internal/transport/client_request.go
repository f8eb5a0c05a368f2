package transport

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"rialto/internal/jsonrpc"
)

// ErrTimeout is returned by Ask when the client did not answer in time.
var ErrTimeout = errors.New("the client did not answer in time")

// CanAsk tells whether a request can be sent to the client: it needs a stream to be
// sent on, and a session in which the client answers.
func (q *Request) CanAsk() bool { return q.sessionID != "" && q.response.takes.stream }

// Ask sends a request to a client of before 2026-07-28 on the stream of this request,
// and waits for the response, which the client posts in its session.
func (q *Request) Ask(ctx context.Context, ask *jsonrpc.Request) (*jsonrpc.Response, error) {
	key := callKey{q.Principal, q.sessionID, ask.ID}
	reply := q.endpoint.awaiting.add(key)
	defer q.endpoint.awaiting.remove(key)
	q.response.notify(ask.Append(nil))
	timeout := time.NewTimer(q.endpoint.Limits.AskTimeout)
	defer timeout.Stop()
	select {
	case resp := <-reply:
		return resp, nil
	case <-ctx.Done():
		if context.Cause(ctx) != ctx.Err() { // else the client has ended the call, and wants silence
			q.withdraw(ask.ID, "not needed any more")
		}
		return nil, ctx.Err()
	case <-timeout.C:
		q.withdraw(ask.ID, "timeout")
		return nil, ErrTimeout
	}
}

// withdraw tells the client that the response is not waited for any more.
func (q *Request) withdraw(id jsonrpc.ID, reason string) {
	q.response.notify(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":%q}}`, id, reason))
}

// awaiting holds the requests that clients have not answered yet. The zero value is
// ready. The limit on calls bounds it.
type awaiting struct {
	mu      sync.Mutex
	waiting map[string]chan *jsonrpc.Response // by callKey.name
}

func (a *awaiting) add(key callKey) <-chan *jsonrpc.Response {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting == nil {
		a.waiting = map[string]chan *jsonrpc.Response{}
	}
	reply := make(chan *jsonrpc.Response, 1)
	a.waiting[key.name()] = reply
	return reply
}

func (a *awaiting) remove(key callKey) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.waiting, key.name())
}

// deliver passes the first response on to the call that waits for it. It returns
// false if none waits.
func (a *awaiting) deliver(name string, resp *jsonrpc.Response) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	reply := a.waiting[name]
	if reply != nil {
		delete(a.waiting, name)
		reply <- resp
	}
	return reply != nil
}

// Reply is a client's response to a request that another process may have sent.
type Reply struct {
	To   string          // names the request, without revealing the session
	Body json.RawMessage // the response
}

// responded takes the response of a client. Where replicas share the load it may
// belong to a call of another process. Only a session's is passed on.
func (e *Endpoint) responded(key callKey, resp *jsonrpc.Response) {
	if !e.awaiting.deliver(key.name(), resp) && e.Forward != nil && e.Sessions.Open(key.session, key.principal) != nil {
		e.Forward(Reply{To: key.name(), Body: resp.Append(nil)})
	}
}

// Deliver takes a reply that another process passed on, and drops it if no call here
// waits for it. The other process has checked the session.
func (e *Endpoint) Deliver(r Reply) {
	if _, resp, err := jsonrpc.Decode(r.Body); err == nil && resp != nil {
		e.awaiting.deliver(r.To, resp)
	}
}

// name names a request of ours to other processes. It is a hash, because a session id gives access.
func (k callKey) name() string {
	h := sha256.New()
	for _, s := range []string{k.principal, k.session, string(k.id)} {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
