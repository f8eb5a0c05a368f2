package mcp

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"rialto/internal/jsonrpc"
)

// askNow asks a client of before 2026-07-28: with a request on the stream of
// its own request, which it answers with a POST in its session.
func (x *exchange) askNow(ctx context.Context, q Question) (Answer, error) {
	id := jsonrpc.StringID(rand.Text())
	key := callKey{x.principal, x.session, id}
	reply := x.s.asked.add(key)
	defer x.s.asked.remove(key)
	params := q.params
	if q.url { // it was named from 2025-11-25 until 2026-07-28
		params = append(append([]byte(`{"elicitationId":`), id...), ',')
		params = append(params, q.params[1:]...)
	}
	x.answer.notify((&jsonrpc.Request{ID: id, Method: q.method, Params: params}).Append(nil))
	patience := time.NewTimer(or(x.s.AskTimeout, time.Minute))
	defer patience.Stop()
	select {
	case resp := <-reply:
		return q.reply(resp)
	case <-ctx.Done():
		if context.Cause(ctx) != ctx.Err() { // or the client has ended the call, and wants silence
			x.takeBack(id, "not needed any more")
		}
		return Answer{}, ctx.Err()
	case <-patience.C:
		x.takeBack(id, "timeout")
		return Answer{}, ErrNoAnswer
	}
}

// takeBack tells the client that the answer to a question is not waited for any more, so
// that nobody goes on filling in what nobody reads.
func (x *exchange) takeBack(id jsonrpc.ID, reason string) {
	x.answer.notify(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":%q}}`, id, reason))
}

// reply reads the client's response to the question.
func (q Question) reply(resp *jsonrpc.Response) (Answer, error) {
	if resp.Error != nil {
		return Answer{}, fmt.Errorf("%w: %w", ErrNoAnswer, &clientError{resp.Error})
	}
	answer, ok := q.Answer(resp.Result)
	if !ok {
		return Answer{}, ErrNoAnswer
	}
	return answer, nil
}

// clientError is an error that a client answered with. It is not an *Error,
// for it is not ours to answer with.
type clientError struct{ err *jsonrpc.Error }

// Error returns what the client said.
func (e *clientError) Error() string { return e.err.Error() }

// asked knows the questions that clients have been asked and have not answered
// yet. The zero value is ready. It is bounded by the limit on calls. A
// question lives in the process that asked it: where replicas share the load, the answer
// may come to another one, which passes it on with Server.Forward.
type asked struct {
	mu      sync.Mutex
	waiting map[string]chan *jsonrpc.Response // by what name returns
}

func (a *asked) add(key callKey) <-chan *jsonrpc.Response {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting == nil {
		a.waiting = map[string]chan *jsonrpc.Response{}
	}
	reply := make(chan *jsonrpc.Response, 1)
	a.waiting[key.name()] = reply
	return reply
}

func (a *asked) remove(key callKey) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.waiting, key.name())
}

// deliver hands a response to whoever waits for it, and reports whether somebody did.
// The first one counts.
func (a *asked) deliver(name string, resp *jsonrpc.Response) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	reply := a.waiting[name]
	if reply != nil {
		delete(a.waiting, name)
		reply <- resp
	}
	return reply != nil
}

// Reply is what a client of before 2026-07-28 has answered to a question that another
// process may have asked.
type Reply struct {
	To   string          // names the question, and tells nothing of who was asked
	Body json.RawMessage // the response
}

// replied takes the response of a client. Only a session's is passed on.
func (s *Server) replied(key callKey, resp *jsonrpc.Response) {
	if !s.asked.deliver(key.name(), resp) && s.Forward != nil && s.openSession(key.session, key.principal) != nil {
		s.Forward(Reply{To: key.name(), Body: resp.Append(nil)})
	}
}

// Deliver takes a reply that came to another process, and drops it if the question was
// not asked here. The other one has made sure whose it is.
func (s *Server) Deliver(r Reply) {
	if _, resp, err := jsonrpc.Decode(r.Body); err == nil && resp != nil {
		s.asked.deliver(r.To, resp)
	}
}

// name names a question to other processes: whoever reads it learns nothing of the
// session, which would let them in.
func (k callKey) name() string {
	h := sha256.New()
	for _, s := range []string{k.principal, k.session, string(k.id)} {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
