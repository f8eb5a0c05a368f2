package directory

import (
	"cmp"
	"context"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"rialto/a2a"
	"rialto/internal/dberr"
	"rialto/internal/i18n"
)

const (
	cardTTL     = 10 * time.Minute // after it, a card is read again
	dialRetry   = 5 * time.Second  // after a failure, no new attempt before
	staleRetry  = time.Minute      // nor before this, where there is a card to go by
	dialTimeout = 5 * time.Second
)

// Agent is an agent that the operator offers, and the connection to it.
type Agent struct {
	AgentConfig
	*connection
}

// connection is the connection to an agent, made on first use.
type connection struct {
	mu    sync.Mutex // held while dialing: others wait for the same attempt
	conn  Conn
	err   error // for callers
	asked time.Time

	last atomic.Pointer[attempt] // for readers that do not wait

	stale     atomic.Bool // its card may have changed
	notBefore time.Time   // the card is not read again before

	recheck bool // a call failed, perhaps because the card has changed
}

// attempt is the result of dialing.
type attempt struct {
	at   time.Time
	err  error
	conn Conn // the one in use since, nil if there is none
}

// LastCard returns the card that was read last; nil if none was yet.
func (e *Agent) LastCard() *a2a.Card {
	if last := e.last.Load(); last != nil && last.conn != nil {
		return last.conn.Card()
	}
	return nil
}

// Connect returns the connection to an agent, and dials if there is none or its card is
// old. If the card cannot be read again, the old connection stays. A caller that leaves
// does not end the attempt, because others wait for it.
func (d *Directory) Connect(ctx context.Context, p *Agent) (Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := d.Now()
	age := now.Sub(p.asked)
	recheck := p.recheck && age >= staleRetry
	p.recheck = false
	if p.conn != nil && age < cardTTL && !recheck && (!p.stale.Load() || now.Before(p.notBefore)) {
		return p.conn, nil
	}
	if p.err != nil && age < dialRetry {
		return nil, p.err
	}

	stale := p.stale.Swap(false)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dialTimeout)
	defer cancel()
	conn, err := d.Dialer.Dial(ctx, p.AgentConfig)
	p.asked = d.Now()
	p.last.Store(&attempt{p.asked, err, cmp.Or(conn, p.conn)})
	if err != nil && p.conn != nil {
		d.Log.WarnContext(ctx, "reading the card again", "agent", p.Name, "err", err)
		if stale {
			p.stale.Store(true)
			p.notBefore = p.asked.Add(staleRetry)
		}
		return p.conn, nil
	}
	if err != nil {
		d.Log.WarnContext(ctx, "reaching an agent", "agent", p.Name, "err", err)
		p.err = Unreachable{p.Name}
		if away, is := dberr.As(err); is { // the card cannot be noted: the agent may be well
			p.err = away
		}
		return nil, p.err
	}

	same := p.conn != nil && reflect.DeepEqual(p.conn.Card(), conn.Card())
	if recheck && same {
		return p.conn, nil // it has the contact statistics
	}
	if p.conn != nil && !same {
		d.agentsChanged(p.Name)
	}

	p.conn = conn
	p.err = nil
	return conn, nil
}

// ConnectFor returns the connection for calls on behalf of user.
func (d *Directory) ConnectFor(ctx context.Context, p *Agent, user string) (Conn, error) {
	conn, err := d.Connect(ctx, p)
	if personal, ok := conn.(PersonalConn); ok && err == nil {
		return personal.For(user), nil
	}
	return conn, err
}

// Reconnect returns the connection for calls on behalf of user after a call has failed.
// The agent may have moved or changed its protocol, so its card is read again unless
// that was done within the last minute.
func (d *Directory) Reconnect(ctx context.Context, p *Agent, user string) (Conn, error) {
	p.mu.Lock()
	p.recheck = true
	p.mu.Unlock()
	return d.ConnectFor(ctx, p, user)
}

// Unreachable is the error for callers of an agent without a connection. The cause is
// in the log only, because it describes the network.
type Unreachable struct{ Agent string }

// Error says so in a sentence.
func (e Unreachable) Error() string { return e.Sentence().Error() }

// Sentence keeps the agent apart.
func (e Unreachable) Sentence() *i18n.Message {
	return i18n.New("The agent %s cannot be reached now.", e.Agent)
}

// Reachable connects to all agents that a call may send tasks to, at once, and returns those
// that answered, in the order of the operator.
func (d *Directory) Reachable(ctx context.Context, a Access) []*Agent {
	return d.Reach(ctx, d.Agents(a))
}

// Reach connects to agents at once, and returns those that answered.
func (d *Directory) Reach(ctx context.Context, agents []*Agent) []*Agent {
	ok := make([]bool, len(agents))
	var wg sync.WaitGroup
	for i, p := range agents {
		wg.Go(func() {
			_, err := d.Connect(ctx, p)
			ok[i] = err == nil
		})
	}

	wg.Wait()
	var found []*Agent
	for i, p := range agents {
		if ok[i] {
			found = append(found, p)
		}
	}

	return found
}

// Card returns the card of a peer that is connected.
func (e *Agent) Card() *a2a.Card {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.conn.Card()
}
