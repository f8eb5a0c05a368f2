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
	"slices"
	"sync"
	"time"

	"rialto/a2a"
	"rialto/mcp"
)

// Bridge offers agents as MCP tools. Dial, Ledger, Caller, URL, Replica, Now
// and Log are required; Start must have been called before a tool is.
type Bridge struct {
	Agents  []Agent
	Default string // the agent meant when a call names none; "" means the only one, if it is

	// Dial connects to an agent and reads its card.
	Dial func(context.Context, Agent) (Peer, error)

	Ledger Ledger

	// Index finds tasks by their words; nil: search does not look at tasks.
	Index Index

	// Caller tells for whom a context acts. No call reaches a tool without a
	// user.
	Caller func(context.Context) Caller

	// Hook returns the webhook that an agent which sends push notifications gets
	// for a task; whoever serves it calls Poke. Nil asks for none.
	Hook func(agent, handle string) *a2a.PushConfig

	// Signals pass on to other replicas what this one learns of their tasks; nil
	// where there are none.
	Signals Signals

	// Webhooks is told of tasks by those who ask for it; nil where nobody may.
	Webhooks Webhooks

	URL     string // where /documents/ is served, without trailing slash
	Replica string // names this process among those that share the ledger
	Now     func() time.Time
	Log     *slog.Logger

	// Downloads makes links to files that are too large for a result; nil: there
	// are none.
	Downloads *Downloads

	// ForceUseCase is the use case that agents are told, whatever the caller's is;
	// "" tells them the caller's. Topic is the one that they are told to keep to;
	// "" is none.
	ForceUseCase, Topic string

	MaxRunning int           // tasks of one user that run at once; 0 means 1000
	Retention  time.Duration // how long settled tasks are kept; 0 means 90 days

	stop     context.CancelFunc
	running  context.Context // ends with Close: followers and rescue live on it
	endWaits context.CancelFunc
	waits    context.Context // ends with EndWaits: callers wait no longer
	wg       sync.WaitGroup

	outgoing chan Signal
	bells    bells

	mu    sync.Mutex
	live  map[string]*follower // by handle: the tasks whose lease is ours; nil while one is taken up
	peers map[string]*peer     // by agent name
}

// Agent is an agent that the operator offers.
type Agent struct {
	Name string // in tool arguments; unique
	URL  string

	// Retention is how long its settled tasks are kept; 0 means Bridge.Retention.
	Retention time.Duration

	// UseCases are those whose callers may know of the agent; none means all.
	UseCases []string
}

// Peer is a connected agent.
type Peer interface {
	a2a.Agent
	Card() *a2a.Card
}

// Personal is a Peer that can be called in the name of a user. Where an agent
// is one, each call is made in the name of whoever it is for.
type Personal interface {
	Peer
	For(user string) Peer
}

// Caller is for whom, and through which client, a call is made.
type Caller struct {
	User   string
	Client string

	// UseCases are those that the caller works for. AllUseCases reaches every
	// agent.
	UseCases    []string
	AllUseCases bool
}

// sees tells whether the caller may know of an agent.
func (c Caller) sees(a Agent) bool {
	if len(a.UseCases) == 0 || c.AllUseCases {
		return true
	}
	return slices.ContainsFunc(c.UseCases, func(u string) bool { return slices.Contains(a.UseCases, u) })
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
	b.waits, b.endWaits = context.WithCancel(b.running)
	b.wg.Go(b.rescue)
	if b.Signals != nil {
		b.outgoing = make(chan Signal, maxSignals)
		b.wg.Go(b.exchange)
	}
	if b.Index != nil {
		b.wg.Go(b.keepIndex)
	}
}

// EndWaits answers those who wait for tasks with how the tasks stand now, so
// that a server that stops cuts nobody off without a handle.
func (b *Bridge) EndWaits() { b.endWaits() }

// Close stops following, waits until all that is known is written, and lets
// go of the leases. Tasks go on at their agents; the next Start finds them.
func (b *Bridge) Close() {
	held := b.held()
	b.stop()
	b.wg.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), writeBudget)
	defer cancel()
	if err := b.Ledger.RenewLeases(ctx, Lease{Replica: b.Replica, Until: b.Now()}, held); err != nil {
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
