// Package bridge turns MCP tool calls into A2A agent calls, and keeps what
// becomes of them: a task is in the ledger before its handle is given out, and
// a follower watches it until it ends, whether or not the caller waits.
//
// It is the only package that knows MCP and A2A, and it knows neither how
// agents are reached (Dial does) nor how callers log in (Caller does). Pages
// for people are in bridge/web.
package bridge

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"rialto/a2a"
	"rialto/mcp"
)

// Bridge offers agents as MCP tools. Dial, Ledger, Caller, URL, Replica, Now
// and Log are required; Start must have been called before a tool is.
type Bridge struct {
	Agents  []Agent
	Default string // the agent meant when a call names none; "" if there is more than one

	// Dial connects to an agent and reads its card.
	Dial func(context.Context, Agent) (Peer, error)

	Ledger Ledger

	// Caller tells for whom a context acts. No call reaches a tool without a
	// user.
	Caller func(context.Context) Caller

	URL     string // where /documents/ is served, without trailing slash
	Replica string // names this process among those that share the ledger
	Now     func() time.Time
	Log     *slog.Logger

	stop    context.CancelFunc
	running context.Context // ends with Close: followers and rescue live on it
	wg      sync.WaitGroup

	mu    sync.Mutex
	live  map[string]*follower // by handle: the tasks that this replica follows
	peers map[string]*peer     // by agent name
}

// Agent is an agent that the operator offers.
type Agent struct {
	Name string // in tool arguments; unique
	URL  string
}

// Peer is a connected agent.
type Peer interface {
	a2a.Agent
	Card() *a2a.Card
}

// Caller is for whom, and through which client, a call is made.
type Caller struct {
	User   string
	Client string
}

// Start takes up the tasks that an earlier process left behind, and keeps
// doing so for those of replicas that die. Close ends what it starts.
func (b *Bridge) Start() {
	b.live = map[string]*follower{}
	b.peers = map[string]*peer{}
	for _, a := range b.Agents {
		b.peers[a.Name] = &peer{Agent: a}
	}
	b.running, b.stop = context.WithCancel(context.Background())
	b.wg.Go(b.rescue)
}

// Close stops following, waits until all that is known is written, and lets
// go of the leases. Tasks go on at their agents; the next Start finds them.
func (b *Bridge) Close() {
	b.stop()
	b.wg.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), writeBudget)
	defer cancel()
	if err := b.Ledger.RenewLeases(ctx, Lease{Replica: b.Replica, Until: b.Now()}); err != nil {
		b.Log.Error("letting go of leases", "err", err)
	}
}

// Tools returns the tools in the order in which clients list them.
func (b *Bridge) Tools() []mcp.Tool {
	return []mcp.Tool{
		b.search(), b.fetch(),
		b.sendTask(), b.getTask(), b.cancelTask(), b.listTasks(),
		b.listAgents(), b.getAgent(),
	}
}
