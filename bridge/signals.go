package bridge

import (
	"context"
	"encoding/base64"
	"slices"
	"sync"

	"rialto/bridge/ledger"
	"rialto/mcp"
)

// mostAnswer bounds an answer that is passed on, in bytes: what PostgreSQL notifies of is
// below 8000.
const mostAnswer = 5000

// PassOn gives a client's answer to the replica that asked. One that is too long is lost:
// the client's call then ends as if nobody had answered.
func (b *Bridge) PassOn(r mcp.Reply) {
	if b.Signals != nil && len(r.Body) > mostAnswer {
		b.Log.Warn("an answer to a question of another replica is too long to be passed on", "bytes", len(r.Body))
		return
	}
	b.signal(ledger.Signal{About: ledger.AboutAnswer, Handle: r.To, Body: base64.StdEncoding.EncodeToString(r.Body)})
}

// maxSignals bounds the signals that wait to be sent; more are lost.
const maxSignals = 256

// signal tells the other replicas, beside what is being done.
func (b *Bridge) signal(s ledger.Signal) {
	minor := s.About == ledger.AboutAnswer || s.Owner != "" && s.About != ledger.AboutLedger
	if b.Signals == nil || minor && len(b.outgoing) > maxSignals/2 {
		return // nobody waits for news of tasks that go on, or for what a client makes up, as others wait for an end
	}
	s.From = b.Replica
	select {
	case b.outgoing <- s:
	default:
	}
}

// exchange sends and hears signals until the bridge closes.
func (b *Bridge) exchange() {
	b.wg.Go(func() { b.Signals.Listen(b.running, b.heard) })
	for {
		select {
		case <-b.running.Done():
			return
		case s := <-b.outgoing:
			ctx, cancel := context.WithTimeout(b.running, writeBudget)
			if err := b.Signals.Send(ctx, s); err != nil {
				b.complain("telling other replicas", err)
			}
			cancel()
		}
	}
}

func (b *Bridge) heard(s ledger.Signal) {
	switch s.About {
	case ledger.AboutAnswer:
		if body, err := base64.StdEncoding.DecodeString(s.Body); err == nil && b.Replied != nil {
			b.Replied(mcp.Reply{To: s.Handle, Body: body})
		}
		return
	case ledger.AboutAgent:
		b.poke(s.Handle)
	case ledger.AboutLedger:
		b.bells.ring(s.Handle)
	}
	if s.From != b.Replica { // this one has told already
		b.tell(s.Owner, s.Handle, s.About)
	}
}

// bells wake those who wait for tasks that other replicas follow.
type bells struct {
	mu      sync.Mutex
	waiting map[string][]chan struct{} // by handle
}

// enter returns what is ready after a task was rung, and what ends that.
func (l *bells) enter(handle string) (rung <-chan struct{}, leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting == nil {
		l.waiting = map[string][]chan struct{}{}
	}
	c := make(chan struct{}, 1)
	l.waiting[handle] = append(l.waiting[handle], c)
	return c, func() { l.leave(handle, c) }
}

func (l *bells) leave(handle string, c chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	left := slices.DeleteFunc(l.waiting[handle], func(other chan struct{}) bool { return other == c })
	if l.waiting[handle] = left; len(left) == 0 {
		delete(l.waiting, handle)
	}
}

func (l *bells) ring(handle string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.waiting[handle] {
		select {
		case c <- struct{}{}:
		default: // it is awake already
		}
	}
}
