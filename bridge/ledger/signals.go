package ledger

import (
	"context"
)

// Signals tell the replicas that share a ledger of its tasks. They are hints
// and may get lost: whoever waits for one looks now and then by itself.
type Signals interface {
	// Send tells all replicas, this one among them.
	Send(context.Context, Signal) error

	// Listen hears what is sent, until ctx ends.
	Listen(ctx context.Context, heard func(Signal))
}

// Signal says what there is about a task.
type Signal struct {
	About  About
	Handle string
	Owner  string // of the task, where what listens is told by owner
	From   string // the replica that says so

	Body string `json:",omitempty"` // of an answer, in base64; Handle names the question
}

// About is what a signal is about.
type About string

// What there is to say of a task.
const (
	AboutAgent  About = "agent"  // its agent has news: whoever follows it looks
	AboutLedger About = "ledger" // it has settled: whoever waits for it reads
	AboutTask   About = "task"   // it has changed, and goes on
	AboutNew    About = "new"    // it is new

	// AboutAnswer is about no task: a client has answered a question of another replica.
	AboutAnswer About = "answer"
)
