package bridge

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/mcp"
)

const (
	cardTTL     = 10 * time.Minute // after it, a card is read again
	dialRetry   = 5 * time.Second  // after a failure, no new attempt before
	staleRetry  = time.Minute      // nor before this, where there is a card to go by
	dialTimeout = 5 * time.Second
)

// peer is an agent and the connection to it.
type peer struct {
	Agent
	*link
}

// link is the connection to an agent, made when first needed.
type link struct {
	mu    sync.Mutex // held while dialing: others wait for the same attempt
	conn  Peer
	err   error // what callers are told
	asked time.Time

	last atomic.Pointer[attempt] // for those who do not want to wait

	stale atomic.Bool // its card may be another now, however young it is
	spare time.Time   // but it is not asked for again before

	doubted bool // a call failed as it does where the card is another by now
}

// attempt is how dialing went.
type attempt struct {
	at   time.Time
	err  error
	conn Peer // the one in use since, nil if there is none
}

// connect returns the connection, dialing when there is none or its card is
// old. An agent that was reachable once stays so: a later failure to read its
// card keeps the connection. A caller that leaves does not end the attempt,
// since others wait for it.
func (b *Bridge) connect(ctx context.Context, p *peer) (Peer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := b.Now()
	age := now.Sub(p.asked)
	doubted := p.doubted && age >= staleRetry
	p.doubted = false
	if p.conn != nil && age < cardTTL && !doubted && (!p.stale.Load() || now.Before(p.spare)) {
		return p.conn, nil
	}
	if p.err != nil && age < dialRetry {
		return nil, p.err
	}
	stale := p.stale.Swap(false)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dialTimeout)
	defer cancel()
	conn, err := b.Dial(ctx, p.Agent)
	p.asked = b.Now()
	p.last.Store(&attempt{p.asked, err, cmp.Or(conn, p.conn)})
	if err != nil && p.conn != nil {
		b.Log.Warn("reading the card again", "agent", p.Name, "err", err)
		if stale {
			p.stale.Store(true)
			p.spare = p.asked.Add(staleRetry)
		}
		return p.conn, nil
	}
	if err != nil {
		b.Log.Warn("reaching an agent", "agent", p.Name, "err", err)
		p.err = Unreachable{p.Name}
		return nil, p.err
	}
	same := p.conn != nil && reflect.DeepEqual(p.conn.Card(), conn.Card())
	if doubted && same {
		return p.conn, nil // which knows how it was met lately
	}
	if b.Changed != nil && p.conn != nil && !same {
		b.Changed(mcp.ResourceUpdated(cardURI(p.Name)))
	}
	p.conn, p.err = conn, nil
	return conn, nil
}

// connectFor returns the connection for calls in the name of user.
func (b *Bridge) connectFor(ctx context.Context, p *peer, user string) (Peer, error) {
	conn, err := b.connect(ctx, p)
	if personal, ok := conn.(Personal); ok && err == nil {
		return personal.For(user), nil
	}
	return conn, err
}

// connectAgain returns the connection for calls in the name of user after one has
// failed: the agent may have moved, or speak another generation by now, so its card is
// read again if that was not done within the last minute.
func (b *Bridge) connectAgain(ctx context.Context, p *peer, user string) (Peer, error) {
	p.mu.Lock()
	p.doubted = true
	p.mu.Unlock()
	return b.connectFor(ctx, p, user)
}

// Unreachable is what callers are told of an agent without a connection. Why
// is for the operator's log: it tells of the inside of a network.
type Unreachable struct{ Agent string }

// Error says so in a sentence.
func (e Unreachable) Error() string { return "The agent " + e.Agent + " cannot be reached now." }

// agent returns the peer that a call means: the named one, or the only or
// default one when it names none. One that is not for the caller is not there.
// Where it is not clear which is meant, the error proposes some.
func (b *Bridge) agent(ctx context.Context, args *sendArgs) (*peer, error) {
	agents, name := b.visible(ctx), args.Agent
	if name == "" {
		name = b.Default
	}
	if name == "" && len(agents) == 1 {
		return agents[0], nil
	}
	names := make([]string, len(agents))
	for i, p := range agents {
		if names[i] = p.Name; p.Name == name {
			return p, nil
		}
	}
	known := strings.Join(names, ", ")
	switch p := b.known(ctx, name); {
	case name == "":
		return nil, b.missingAgent(ctx, args, known)
	case p != nil:
		return nil, ledger.InputError{Text: fmt.Sprintf("The agent %s is disabled and takes no messages now. Choose one of: %s.", name, known)}
	}
	return nil, ledger.InputError{Text: fmt.Sprintf("There is no agent named %q. Choose one of: %s.", sanitize.Truncate(sanitize.Text(name), 100), known)}
}

// reach connects to all of the caller's agents at once and returns those that answered, in
// the operator's order.
func (b *Bridge) reach(ctx context.Context) []*peer {
	agents := b.visible(ctx)
	ok := make([]bool, len(agents))
	var wg sync.WaitGroup
	for i, p := range agents {
		wg.Go(func() {
			_, err := b.connect(ctx, p)
			ok[i] = err == nil
		})
	}
	wg.Wait()
	var found []*peer
	for i, p := range agents {
		if ok[i] {
			found = append(found, p)
		}
	}
	return found
}

// card returns the card of a peer that is connected.
func (p *peer) card() *a2a.Card {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.conn.Card()
}
