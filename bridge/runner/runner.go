// Package runner runs tasks at agents: it sends messages, follows tasks until they are
// idle, resumes and cancels them, holds their leases, and recovers them after a crash or
// from a replica that died. It knows the ledger and the directory. It does not know MCP,
// pages, or how a result is shown.
//
// A [Follower] takes one task from a message to the task's next pause or its end. It is in one
// of five states:
//
//	unanswered  The message was sent, or may have arrived. The agent has not answered it.
//	following   The agent has answered, or the task is resumed without a message.
//	idle        The task waits for its owner or has ended. The last write may be retried.
//	unrecorded  The first write of a new task failed, so its handle is never given out.
//	released    Another replica holds the task, or the follower began while the runner closed.
//
// A follower begins as unanswered if it sends a message, or takes over one that another process sent
// and the agent has not responded to; as released if the runner closes; and as following otherwise.
// It returns to an earlier state only if the agent goes on without an answer (4); the next message begins
// another follower:
//
//	            the agent     the task      the first write   a write finds
//	            answers       is idle (1)   fails (2)         the lease lost (3)
//	unanswered  following(5)  idle          unrecorded        released
//	following   -             idle          unrecorded        released
//	idle        following(4)  -             -                 released
//	unrecorded  -             -             -                 -
//	released    -             -             -                 -
//
// A dash means that nothing changes. Events are ignored in idle and in released, and in unrecorded
// once the agent has told its id of the task.
//
//  1. The agent says so, refuses the message, is given up because it does not tell how the task
//     stands, or sends too much. Or the agent certainly has not got the message, which is kept until
//     it can be reached (an answer) or the owner has connected it (the first message). Or whether the
//     message arrived stays unknown.
//  2. Only a message without an id leaves before its task is written, by at most 50 ms. The
//     ledger refused the task, or cannot be reached and may have it. The follower waits for the
//     agent's id of the task and cancels the task. Of a task that has ended meanwhile it writes
//     the end, in case an unreachable ledger has the task after all.
//  3. Only a write finds out. An idle follower writes again until its last change is written.
//  4. The task is paused, and the stream that brought the pause brings more (A2A 1.0 section 7.6.1).
//     An idle follower reads on only for a paused task, and lives until that stream ends; it is not
//     the follower of its task meanwhile. It takes the task up as a message would, so that either an
//     answer counts or this.
//  5. Or the agent refuses the message and shows that the task has left its pause without it. What
//     comes then does not answer the message.
//
// A message that continues a task is kept with the record until the agent responds
// ([ledger.Pending]). If the agent cannot be reached, the follower becomes idle: the task stands in
// its pause, input-required or auth-required, with an answer that its agent has not got. Polls find
// out when the agent is back, and the first one begins a follower that sends the answer. A new
// answer replaces it, and Cancel withdraws it. If the answer may have arrived, it is not sent
// again: the follower waits until the agent shows something new, for 15 seconds, and polls do so
// afterwards.
//
// When the runner closes, followers keep their states: they write what they have and end, and
// the next process resumes their tasks.
package runner

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/uploads"
)

// Runner runs tasks. Directory, Ledger, Lists, Leases, Replica, Now and Log are required.
// Call Start before anything else, and Close at the end.
type Runner struct {
	Directory *directory.Directory

	Ledger ledger.Store
	Lists  ledger.Lists
	Leases ledger.Leases

	Inbox Inbox // nil: agents get no webhooks

	// Webhooks keeps the webhooks that callers give for their tasks; nil: they may give none.
	Webhooks Webhooks

	Publisher Publisher

	Uploads *uploads.Service // nil: messages name no files that are sent apart

	Replica string // the name of this process among those that share the ledger
	Now     func() time.Time
	Log     *slog.Logger

	// Alone reports that no other process shares the ledger now: the tasks of the
	// process before this one are taken over at once.
	Alone bool

	// Only is the handle of the only task that this process takes over, as a command
	// does; "" is all.
	Only string

	Observer Observer // nil is none

	Limits Limits

	// Pause is the first pause before a task is read again whose agent has told that it works, or
	// whose stream broke off. It doubles up to 20 times as much. 0 means half a second.
	Pause time.Duration

	running context.Context // ends with Close: followers live on it
	stop    context.CancelFunc
	wg      sync.WaitGroup

	waiters waiters
	live    followers
	leases  leases
	polls   poller
	quotas  quotas
}

// Inbox receives the push notifications of agents. It calls Wake.
type Inbox interface {
	// Config returns the webhook that an agent with push notifications gets for a task.
	Config(agent, handle string) *a2a.PushConfig
}

// Start takes over the tasks that an earlier process left, and keeps doing so for those
// of replicas that die.
func (r *Runner) Start() {
	r.running, r.stop = context.WithCancel(context.Background())
	r.waiters.ctx, r.waiters.end = context.WithCancel(r.running)
	r.live = newFollowers()
	r.polls.runner = r
	r.polls.wakeups = make(chan string, maxWakeups)
	r.quotas.runner = r
	r.quotas.storage.runner = r
	r.leases.runner = r
	r.leases.join()
	r.Publisher.start(r)
	r.wg.Go(r.leases.keep)
	if r.Only == "" {
		r.wg.Go(r.polls.runDue)
		r.wg.Go(r.polls.runWoken)
		if r.Uploads != nil {
			r.wg.Go(func() { endWaits(r) })
		}
	}
}

// EndWaits returns the tasks as they are to callers that wait, so that each caller has
// a handle before the server stops.
func (r *Runner) EndWaits() { r.waiters.end() }

// Drain waits until each agent that has a message has answered it, or ctx ends. The answer may be
// the first event of many: the next process follows the task. Drain returns the handles of the
// tasks whose agents have said nothing.
func (r *Runner) Drain(ctx context.Context) (unanswered []string) {
	for _, f := range r.live.all() {
		if !f.awaitAnswer(ctx) {
			unanswered = append(unanswered, f.start.Handle)
		}
	}
	return unanswered
}

// Close stops following, waits until everything is written, and leaves the tasks to others.
// They go on at their agents; the next Start finds them.
func (r *Runner) Close() {
	r.stop()
	r.wg.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), writeBudget)
	defer cancel()
	if err := r.Leases.RemoveReplicas(ctx, map[string]int64{r.Replica: r.leases.own}); err != nil {
		r.Log.Error("leaving tasks to other replicas", "err", err)
	}
}

// writeContext returns the context of a write to the ledger. It outlives the runner, so that the
// last write happens.
func (r *Runner) writeContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(r.running), writeBudget)
}

// logError logs an error that is not due to our own stopping.
func (r *Runner) logError(doing string, err error) {
	if r.running.Err() == nil {
		r.Log.Error(doing, "err", err)
	}
}
