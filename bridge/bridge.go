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
	"sync/atomic"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/internal/usage"
	"rialto/mcp"
)

// Bridge offers agents as MCP tools. Dial, Ledger, Caller, URL, Replica, Now
// and Log are required; Start must have been called before a tool is.
type Bridge struct {
	Directory *directory.Directory

	Ledger ledger.Store
	Lists  ledger.Lists
	Leases ledger.Leases

	// Index finds tasks by their words; nil: search does not look at tasks.
	Index ledger.Index

	// Hook returns the webhook that an agent which sends push notifications gets
	// for a task; whoever serves it calls Poke. Nil asks for none.
	Hook func(agent, handle string) *a2a.PushConfig

	// Signals pass on to other replicas what this one learns of their tasks; nil
	// where there are none.
	Signals ledger.Signals

	// Replied takes the answers of clients that came to other replicas; nil drops them.
	Replied func(mcp.Reply)

	// Changed tells MCP clients of the owners of what has changed. It must not
	// wait. Nil: nobody is told.
	Changed func(c mcp.Change, owners ...string)

	// Webhooks is told of tasks by those who ask for it; nil where nobody may.
	Webhooks Webhooks

	// Meter is told of each call that has ended. It must not wait; nil where
	// nobody counts.
	Meter func(usage.Record)

	// ToolsChanged is told when Tools returns others, because of the agents; nil
	// if nobody needs to know.
	ToolsChanged func()

	URL     string // where /documents/ is served, without trailing slash
	Replica string // names this process among those that share the ledger
	Now     func() time.Time
	Log     *slog.Logger

	// Alone tells that no other process shares the ledger now, so that what one
	// before this has left is taken up at once.
	Alone bool

	// Only is the handle of the one task that this process cares for, as a command
	// does; "" is all that nobody else follows.
	Only string

	// Downloads makes links to files that are too large for a result; nil: there
	// are none.
	Downloads *Downloads

	// Sharing lets people show documents to others; nil: nobody may.
	Sharing *Sharing

	MaxRunning int // tasks of one user that run at once; 0 means 1000

	stop     context.CancelFunc
	running  context.Context // ends with Close: followers and rescue live on it
	endWaits context.CancelFunc
	waits    context.Context // ends with EndWaits: callers wait no longer
	wg       sync.WaitGroup

	writing writing

	outgoing chan ledger.Signal
	bells    bells

	skills  atomic.Pointer[skillTools]
	reading sync.Mutex // held while skills are read

	mu    sync.Mutex
	live  map[string]*follower   // by handle: the tasks whose lease is ours; nil while one is added or taken up
	early map[*follower]struct{} // of them, those that the ledger does not have yet

	misses map[string]time.Time // by handle: when an agent did not know a task that waits

	crowded time.Time // no message leaves before its task is written, until then

	hints   chan string // handles of tasks that their agents say have news
	hinted  lanes       // looks at them
	looking lanes       // at agents of which tasks are due
}

// Start takes up the tasks that an earlier process left behind, and keeps
// doing so for those of replicas that die, or Only for one. Close ends what it
// starts.
func (b *Bridge) Start() {
	b.live, b.early = map[string]*follower{}, map[*follower]struct{}{}
	b.misses = map[string]time.Time{}
	b.running, b.stop = context.WithCancel(context.Background())
	b.waits, b.endWaits = context.WithCancel(b.running)
	if b.Alone {
		b.inherit()
	}
	b.hints = make(chan string, maxHints)
	b.wg.Go(b.rescue)
	if b.Signals != nil {
		b.outgoing = make(chan ledger.Signal, maxSignals)
		b.wg.Go(b.exchange)
	}
	if b.Only == "" {
		b.careForAll()
	}
}

// careForAll begins what is done for tasks that nobody asks for now.
func (b *Bridge) careForAll() {
	b.wg.Go(b.lookAfter)
	b.wg.Go(b.takeHints)
	if b.Index != nil {
		b.wg.Go(b.keepIndex)
	}
	b.wg.Go(b.keepSkills)
}

// EndWaits answers those who wait for tasks with how the tasks stand now, so
// that a server that stops cuts nobody off without a handle.
func (b *Bridge) EndWaits() { b.endWaits() }

// Close stops following, waits until all that is known is written, and lets
// go of the leases. Tasks go on at their agents; the next Start finds them.
func (b *Bridge) Close() {
	held := b.held()
	b.stop()
	b.Directory.Close()
	b.wg.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), writeBudget)
	defer cancel()
	if err := b.Leases.RenewLeases(ctx, ledger.Lease{Replica: b.Replica, Until: b.Now()}, held); err != nil {
		b.Log.Error("letting go of leases", "err", err)
	}
}

// Tools returns the tools in the order in which clients list them.
func (b *Bridge) Tools() []mcp.Tool {
	tools := b.ownTools()
	if skills := b.skills.Load(); skills != nil {
		tools = append(tools, skills.tools...)
	}
	return b.metered(tools)
}

// ownTools returns those that are there whatever the agents are.
func (b *Bridge) ownTools() []mcp.Tool {
	tools := []mcp.Tool{
		b.search(), b.fetch(),
		b.sendTask(), b.getTask(), b.cancelTask(), b.listTasks(),
		b.listAgents(), b.getAgent(),
	}
	if b.Sharing != nil {
		tools = append(tools, b.share())
	}
	return tools
}
