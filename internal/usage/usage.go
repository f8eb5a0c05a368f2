// Package usage keeps what a server was used for: who called which agent with
// which tool, how long it took, how much went in and out, and how it ended. A
// call never waits for its record. Contents are not kept.
package usage

import (
	"context"
	"log/slog"
	"time"

	"rialto/internal/batch"

	"github.com/google/uuid"
)

// Outcome says how a call ended.
type Outcome string

// The outcomes of calls.
const (
	OK       Outcome = "ok"
	Failed   Outcome = "failed"   // the agent or the server failed
	Refused  Outcome = "refused"  // the caller asked for what cannot be
	Canceled Outcome = "canceled" // the caller did not wait for the end
)

// Call is one call.
type Call struct {
	ID       string        `json:"id"`
	At       time.Time     `json:"time"` // when it began
	UserID   string        `json:"user_id"`
	User     string        `json:"user"`
	Client   string        `json:"client_id"`
	UseCase  string        `json:"usecase"`
	Door     string        `json:"door"` // mcp, a2a, rest or web
	Tool     string        `json:"tool"` // or method
	Agent    string        `json:"agent"`
	Took     time.Duration `json:"-"`
	Millis   int64         `json:"milliseconds"`
	BytesIn  int64         `json:"bytes_in"`
	BytesOut int64         `json:"bytes_out"`
	Outcome  Outcome       `json:"outcome"`
}

// Recorder takes calls. It never waits and never fails.
type Recorder interface {
	Record(Call)
}

// By is what calls are added up by.
type By string

// What calls are added up by.
const (
	ByAgent   By = "agent"
	ByTool    By = "tool"
	ByUseCase By = "usecase"
	ByClient  By = "client"
	ByUser    By = "user"
)

// Bys lists them.
var Bys = []By{ByAgent, ByTool, ByUseCase, ByClient, ByUser}

// Filter chooses calls. Empty fields do not filter. Sums take whole hours.
type Filter struct {
	Since, Until                       time.Time // then or later; before
	Agent, Tool, UseCase, Client, User string    // User is an account's ID
	After                              Mark      // of Calls: what comes after this call in the list
	Limit                              int       // at most so many; required
}

// Mark is a place in the list of calls, which begins with the earliest.
type Mark struct {
	At time.Time
	ID string
}

// Sum adds up calls.
type Sum struct {
	Key      string    `json:"key"`            // what By says; "" is none
	Name     string    `json:"name,omitempty"` // of the user or the client, where it is known
	From     time.Time `json:"from,omitzero"`  // of a series: when the hour or the day begins
	Calls    int64     `json:"calls"`
	Errors   int64     `json:"errors"` // that failed or were refused
	BytesIn  int64     `json:"bytes_in"`
	BytesOut int64     `json:"bytes_out"`
	Mean     float64   `json:"mean_milliseconds"`
	P50      float64   `json:"p50_milliseconds"`
	P95      float64   `json:"p95_milliseconds"`
	P99      float64   `json:"p99_milliseconds"`
}

// Store keeps calls. It may be used concurrently.
type Store interface {
	// AddCalls records calls, and adds them to the sums. One that is recorded
	// already counts once: who did not hear of a commit comes again.
	AddCalls(context.Context, []Call) error
	// Calls returns those that a filter chooses, the earliest first.
	Calls(context.Context, Filter) ([]Call, error)
	// Tallies adds up the calls that a filter chooses by something, or all in one
	// if by is "", and, unless step is 0, by the hours or days that they began in.
	// The largest come first; a series is sorted by time.
	Tallies(ctx context.Context, f Filter, by By, step time.Duration) ([]Tally, error)
	// DropCalls forgets at most limit calls and sums of each from before a moment,
	// and returns how many.
	DropCalls(ctx context.Context, before time.Time, limit int) (int, error)
}

// Log is a Recorder that writes into a store. All fields are required.
type Log struct {
	Store Store
	Log   *slog.Logger

	queue batch.Queue[Call]
}

// Open makes the log ready. Call it before anything else.
func (l *Log) Open() *Log {
	l.queue.Write, l.queue.Log, l.queue.What = l.Store.AddCalls, l.Log, "usage"
	return l
}

// Record implements Recorder.
func (l *Log) Record(c Call) {
	c.At, c.ID, c.Millis = c.At.UTC().Truncate(time.Millisecond), uuid.NewString(), c.Took.Milliseconds()
	l.queue.Add(c)
}

// Run writes what is recorded until ctx ends.
func (l *Log) Run(ctx context.Context) { l.queue.Run(ctx) }

// Flush writes what was recorded so far.
func (l *Log) Flush(ctx context.Context) { l.queue.Flush(ctx) }
