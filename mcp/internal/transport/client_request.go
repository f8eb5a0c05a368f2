package transport

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"rialto/internal/jsonrpc"
	"rialto/mcp/internal/wire"
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
	asked := question{q.Session, make(chan *jsonrpc.Response, 1)}
	q.endpoint.questions.Store(key.name(), asked)
	defer q.endpoint.questions.Delete(key.name())
	if q.legacy == nil { // else the client can only answer here
		if err := q.noteQuestion(ctx, key); err != nil {
			return nil, err
		}
		defer q.dropQuestion(key)
	}

	q.response.notify(ask.Append(nil))
	timeout := time.NewTimer(q.endpoint.Limits.AskTimeout)
	look := time.NewTicker(pollInterval)
	defer timeout.Stop()
	defer look.Stop()
	for {
		select {
		case resp := <-asked.reply:
			return resp, nil
		case <-look.C: // the news of the answer may be lost
			q.endpoint.deliverNotes(ctx, q.Session)
		case <-ctx.Done():
			if context.Cause(
				ctx,
			) != ctx.Err() { // else the client has ended the call, and wants silence
				q.withdraw(ask.ID, "not needed any more")
			}
			return nil, ctx.Err()
		case <-timeout.C:
			q.withdraw(ask.ID, "timeout")
			return nil, ErrTimeout
		}
	}
}

const (
	// pollInterval is how often the answer of a client to another process is looked for.
	pollInterval = 2 * time.Second
	// questionPrefix is the beginning of the name of a note whose rest names the question.
	questionPrefix = "ask "
)

// noteQuestion lets every process take the answer to a question.
func (q *Request) noteQuestion(ctx context.Context, key callKey) error {
	e := q.endpoint
	ok, err := e.Changes.Notes.AddNote(
		ctx,
		e.user(q.Principal),
		q.Session,
		questionPrefix+key.name(),
		e.Sessions.Now().Add(2*e.Limits.AskTimeout),
	)
	if err == nil && !ok {
		q.response.again("60")
		err = wire.Refuse(
			http.StatusTooManyRequests,
			"this user has too many sessions with subscriptions or open questions",
		)
	}

	return err
}

func (q *Request) dropQuestion(key callKey) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(q.HTTP.Context()), noteTimeout)
	defer cancel()
	if err := q.endpoint.Changes.Notes.DropNotes(
		ctx, q.Session, questionPrefix+key.name(),
	); err != nil {
		q.endpoint.Log.ErrorContext(
			q.HTTP.Context(), "removing a question",
			"err", err,
		) // it ends with its time
	}
}

// noteTimeout bounds a look at notes that no request waits for.
const noteTimeout = 10 * time.Second

// SessionChanged reads again what processes share of a session, "" being any, if it is in use here.
func (e *Endpoint) SessionChanged(session string) {
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), noteTimeout)
		defer cancel()
		e.Changes.Reload(ctx, session)
		waiting := map[string]bool{} // sessions
		for _, q := range e.questions.Range {
			waiting[q.(question).session] = true
		}
		for id := range waiting {
			if session == "" || session == id {
				e.deliverNotes(ctx, id)
			}
		}
	}()
}

// deliverNotes gives the answers that other processes took to the calls that wait for them.
func (e *Endpoint) deliverNotes(ctx context.Context, session string) {
	notes, err := e.Changes.Notes.SessionNotes(ctx, session)
	if err != nil && ctx.Err() == nil {
		e.Log.ErrorContext(ctx, "reading the answers of a client", "err", err)
	}

	for note, body := range notes {
		name, ok := strings.CutPrefix(note, questionPrefix)
		if !ok || body == nil {
			continue
		}
		if _, resp, err := jsonrpc.Decode(body); err == nil && resp != nil {
			e.deliver(name, resp)
		}
	}
}

// withdraw tells the client that the response is not waited for any more.
func (q *Request) withdraw(id jsonrpc.ID, reason string) {
	q.response.notify(
		fmt.Appendf(
			nil,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":%q}}`,
			id,
			reason,
		),
	)
}

// question is a request that its client has not answered yet.
type question struct {
	session string
	reply   chan *jsonrpc.Response
}

// deliver passes the first response on to the call that waits for it under a name. It returns
// false if none waits.
func (e *Endpoint) deliver(name string, resp *jsonrpc.Response) bool {
	waiting, ok := e.questions.LoadAndDelete(name)
	if ok {
		waiting.(question).reply <- resp
	}
	return ok
}

// responded takes the response of a client. Where replicas share the load it may belong to a call
// of another process, which finds it in the notes of the session. A response to no open
// question is dropped.
func (e *Endpoint) responded(ctx context.Context, key callKey, resp *jsonrpc.Response) error {
	if e.deliver(key.name(), resp) {
		return nil
	}
	open := e.Sessions.Open(key.session, key.principal)
	if open == nil {
		return nil
	}
	_, err := e.Changes.Notes.FillNote(ctx, open.Nonce, questionPrefix+key.name(), resp.Append(nil))
	return err
}

// name names a request of ours to other processes. It is a hash, because a session id gives access.
func (k callKey) name() string {
	h := sha256.New()
	for _, s := range []string{k.principal, k.session, string(k.id)} {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
