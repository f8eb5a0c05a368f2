package mcp

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"rialto/internal/sse"
)

// The transport of revision 2024-11-05, deprecated since 2025-03-26: a client
// opens a stream with GET, is told on it where to POST its messages, and gets
// every answer on the stream (2024-11-05, basic/transports, "HTTP with SSE").
// The stream is the session, and lives in the process that holds it.

// mostPairAge is how long such a stream may last. It ends sooner when nothing
// has been posted for Server.ListenFor.
const mostPairAge = 24 * time.Hour

// pair is one such stream, and what its client has said of itself.
type pair struct {
	id, principal string
	stream        *sse.Writer
	ctx           context.Context // ends with the stream
	idle          *time.Timer

	mu     sync.Mutex
	client Client
}

// pairs are the streams that are open. It is bounded by the limit on
// subscription streams. The zero value is ready.
type pairs struct {
	mu   sync.Mutex
	open map[string]*pair
}

func (ps *pairs) add(p *pair) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if ps.open == nil {
		ps.open = map[string]*pair{}
	}
	ps.open[p.id] = p
}

func (ps *pairs) remove(p *pair) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	delete(ps.open, p.id)
}

// find returns the principal's stream with the id, nil if there is none.
func (ps *pairs) find(id, principal string) *pair {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if p := ps.open[id]; p != nil && p.principal == principal {
		return p
	}
	return nil
}

// SSE returns the handler of the streams of revision 2024-11-05. Clients are
// told to post their messages to the path messages, where Messages has to be.
func (s *Server) SSE(messages string) http.Handler {
	return s.legacyDoor(http.MethodGet, func(w http.ResponseWriter, r *http.Request) {
		principal := s.principal(r)
		if !s.listens.enter(principal, or(s.MaxListens, 16)) {
			s.writeTooMany(w)
			return
		}
		defer s.listens.leave(principal)
		s.servePair(w, r, principal, messages)
	})
}

// Messages returns the handler of the messages of revision 2024-11-05. A
// request is answered with 202, and then on the stream that sessionId names,
// which has to be the same principal's.
func (s *Server) Messages() http.Handler {
	return s.legacyDoor(http.MethodPost, func(w http.ResponseWriter, r *http.Request) {
		p := s.pairs.find(r.URL.Query().Get("sessionId"), s.principal(r))
		if p == nil {
			s.writeError(w, "", faultf(http.StatusNotFound, codeSession, "the stream of this session is not open, open a new one"))
			return
		}
		if !s.calls.enter(p.principal, or(s.MaxCalls, 64)) {
			s.writeTooMany(w)
			return
		}
		s.postToPair(w, r, p)
	})
}

// legacyDoor guards a handler that takes one method.
func (s *Server) legacyDoor(method string, next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case s.guard(w, r):
		case s.prepare() != nil:
			s.writeError(w, "", faultf(http.StatusInternalServerError, codeInternal, "internal error"))
		case r.Method != method:
			s.allowOnly(w, method)
		default:
			next(w, r)
		}
	})
}

// servePair holds a stream until its client hangs up, or falls silent.
func (s *Server) servePair(w http.ResponseWriter, r *http.Request, principal, messages string) {
	ctx, cancel := context.WithTimeout(r.Context(), mostPairAge)
	defer cancel()
	p := &pair{id: rand.Text(), principal: principal, stream: sse.NewWriter(w), ctx: ctx}
	p.idle = time.AfterFunc(s.listenFor(), cancel)
	defer p.idle.Stop()
	defer p.stream.Close() // calls may still run
	changes, remove := s.listeners.add(s.owner(principal), s.wantsOfSession(p.id), s.mayFollow(ctx))
	defer remove()
	s.pairs.add(p)
	defer s.pairs.remove(p)
	if p.stream.Event(sse.Event{Type: "endpoint", Data: []byte(messages + "?sessionId=" + p.id)}) != nil {
		return
	}
	alive := time.NewTicker(or(s.KeepAlive, 15*time.Second))
	defer alive.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-alive.C:
			if p.stream.Comment("keep-alive") != nil {
				return
			}
		case <-changes.wake:
			for _, c := range s.listeners.take(changes) {
				_ = p.stream.Event(sse.Event{Data: notification(c.method, c.params())})
			}
		}
	}
}

// postToPair takes a message. What it is answered comes on the stream. The
// place that was entered for it is left when it has been.
func (s *Server) postToPair(w http.ResponseWriter, r *http.Request, p *pair) {
	p.idle.Reset(s.listenFor())
	x := &exchange{s: s, r: r, principal: p.principal, place: &s.calls, pair: p, session: "sse " + p.id, nonce: p.id, client: p.known(r)}
	leave := func() { s.calls.leave(p.principal) }
	x.answer.prepare(s, w, r)
	body, err := x.read()
	if err == nil {
		err = x.decode(body)
	}
	switch {
	case err == errAnswered:
		leave()
	case err != nil:
		x.fail(err)
		leave()
	case x.req.IsNotification():
		x.notified()
		x.answer.accepted()
		leave()
	default:
		x.answer.accepted()
		ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
		stop := context.AfterFunc(p.ctx, cancel)
		x.r = r.WithContext(ctx)
		x.answer = answer{takes: accept{stream: true}, stream: p.stream, shared: true}
		go func() {
			defer leave()
			defer cancel()
			defer stop()
			x.answerPair()
		}()
	}
}

// answerPair answers a request on its pair's stream.
func (x *exchange) answerPair() {
	defer func() {
		if p := recover(); p != nil { // nobody above would
			x.fail(fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	result, err := x.dispatch()
	if x.req.Method == "initialize" && err == nil {
		x.pair.know(x.client)
	}
	x.finish(result, err)
}

// know notes what the client has said of itself, as much as a session notes of
// it, and nothing that would hold the message that it came in.
func (p *pair) know(c Client) {
	c.Name, c.Version = strings.Clone(c.Name), strings.Clone(c.Version)
	c.Capabilities = noted(c.Capabilities)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.client = c
}

// known returns what is known of the client that posts. Before it has said
// anything it is one of the transport's own revision.
func (p *pair) known(r *http.Request) Client {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.client.Revision == "" {
		return fromUserAgent(Client{Revision: Revision20241105}, r.UserAgent())
	}
	return p.client
}
