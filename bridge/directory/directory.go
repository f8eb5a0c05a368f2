// Package directory knows which agents there are: the configured ones, those that an
// operator adds, their cards, connections and health, and which callers may see them. It
// does not know tasks, MCP, or how an agent is reached: its Dialer does that.
package directory

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"rialto/a2a"
)

// Directory is the list of agents. Dialer, Caller, Now and Log are required.
type Directory struct {
	Initial []AgentConfig // in force before the first call of SetAgents

	// Policy is in force unless Policies is set, which returns the policy of each call.
	Policy
	Policies func() Policy

	Dialer Dialer

	// Caller returns for whom a context acts.
	Caller func(context.Context) Caller

	// Connections are those of agents that users connect themselves; nil if there are none. Pages
	// reports that users can sign in to the pages of this server, where they do so.
	Connections Connections
	Pages       bool

	Listeners []Listener // hear of changes, in this order

	URL string // address of this server, without a trailing slash
	Now func() time.Time
	Log *slog.Logger

	mu       sync.Mutex
	relisted chan struct{} // ready after the list has changed
	list     atomic.Pointer[snapshot]

	connectors atomic.Pointer[map[string]*Connector] // by URL

	closed     atomic.Bool
	asking     atomic.Bool // agents for their cards, for CachedInfos
	background sync.WaitGroup
}

// Dialer reaches agents.
type Dialer interface {
	// Dial connects to an agent and reads its card.
	Dial(context.Context, AgentConfig) (Conn, error)
}

// Listener hears of agents. Its methods must not block.
type Listener interface {
	// AgentChanged says that the card of an agent has changed, or the list if agent is "".
	AgentChanged(agent string)
}

// Policy is what calls mean that leave something open.
type Policy struct {
	// Default is the agent of calls that name none. "" means the only agent, if there is only one.
	Default string

	// ForceUseCase replaces the use case of every caller in messages to agents, if it
	// is not "". Topic is sent to agents as the subject to keep to, if it is not "".
	ForceUseCase, Topic string
}

// InForce returns the policy of a call that begins now.
func (d *Directory) InForce() Policy {
	if d.Policies == nil {
		return d.Policy
	}
	return d.Policies()
}

// Close waits for the requests to agents that Directory makes in the background.
func (d *Directory) Close() {
	d.closed.Store(true)
	d.background.Wait()
}

// agentsChanged reports that the card of an agent has changed, or the list if agent is "".
func (d *Directory) agentsChanged(agent string) {
	for _, l := range d.Listeners {
		l.AgentChanged(agent)
	}
}

// Conn is a connected agent.
type Conn interface {
	a2a.Agent
	Card() *a2a.Card
}

// PersonalConn is a Conn that can be called on behalf of a user. Each call to such an
// agent is made on behalf of its user.
type PersonalConn interface {
	Conn
	For(user string) Conn
}
