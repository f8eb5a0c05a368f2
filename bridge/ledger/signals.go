package ledger

import (
	"context"
)

// Signals connect the replicas that share a ledger. A signal may get lost: those that
// wait for one poll as well.
type Signals interface {
	// Send sends signals to all replicas, this one among them, in their order.
	Send(context.Context, ...Signal) error

	// Listen hears what is sent, until ctx ends.
	Listen(ctx context.Context, heard func(Signal))
}

// Signal tells other replicas what happened to a task.
type Signal struct {
	About  About
	Handle string
	Owner  string // of the task
	From   string // the replica that says so
}

// About is what a signal is about.
type About string

// What there is to say of a task.
const (
	AboutAgent  About = "agent"  // its agent reports a change: its follower polls
	AboutLedger About = "ledger" // it is idle: its waiters read it
	AboutTask   About = "task"   // it has changed, and goes on: its waiters read it, too
	AboutNew    About = "new"    // it is new

	// AboutSession is about no task: what replicas share of an MCP session has changed. Handle
	// names the session; "" is any, after signals may have been lost.
	AboutSession About = "session"
)
