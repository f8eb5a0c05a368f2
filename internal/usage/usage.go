// Package usage records the calls of a server: who called which agent with which tool, how long it
// took, how many bytes went in and out, and how it ended. A call does not wait for its record. The
// package knows nothing of the contents of calls, or of where records are stored.
package usage

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"rialto/internal/batch"
)

// Record is one call, without its contents.
type Record struct {
	ID       string        `json:"id"`
	At       time.Time     `json:"time"` // when it began
	UserID   string        `json:"user_id"`
	User     string        `json:"user"`
	Client   string        `json:"client_id"`
	App      string        `json:"client"`  // name of the client; read only, "" if it is gone
	UseCase  string        `json:"usecase"` // sent to the agent; "" is none
	Door     string        `json:"door"`    // MCP, A2A, REST or Web
	Tool     string        `json:"tool"`    // the tool, the method, or the action of a page
	Agent    string        `json:"agent"`   // "" if it is about none, or several
	Took     time.Duration `json:"-"`
	Millis   int64         `json:"milliseconds"`
	BytesIn  int64         `json:"bytes_in"` // size of the content, without its envelope
	BytesOut int64         `json:"bytes_out"`
	Outcome  Outcome       `json:"outcome"`
	Task     string        `json:"task"` // the handle of the task that it is about; "" is none
}

// The doors that calls come through.
const (
	MCP  = "mcp"
	A2A  = "a2a"
	REST = "rest"
	Web  = "web" // a page that calls an agent for its user
)

// Outcome says how a call ended.
type Outcome string

// The outcomes of calls. A call is refused if it could not succeed as it was made:
// its arguments are wrong, the caller may not do it, or the agent cannot be called.
// It has failed if the agent's task failed, or the server did.
const (
	OK       Outcome = "ok"
	Failed   Outcome = "failed"
	Refused  Outcome = "refused"
	Canceled Outcome = "canceled" // the caller did not wait for the end

	Errors Outcome = "errors" // in a Filter: failed or refused
)

// Outcomes lists those that a Filter takes.
var Outcomes = []Outcome{OK, Errors, Failed, Refused, Canceled}

// By says what calls are grouped by.
type By string

// The groups.
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
	Since, Until               time.Time // inclusive; exclusive
	Agent, Tool, UseCase, User string    // User is an account's ID
	Clients                    []string  // IDs; a call by any of them matches
	Outcome                    Outcome
	Latest                     bool // for Calls: the latest first
	After                      Mark // for Calls: only records after this one, in their order
	Limit                      int  // required

	Offset time.Duration // of a series by days: that of the zone whose midnight begins them
}

// Mark is a place in a list of records.
type Mark struct {
	At time.Time
	ID string
}

// Sum is the sum of calls.
type Sum struct {
	Key      string    `json:"key"`            // the group; "" is none
	Name     string    `json:"name,omitempty"` // name of the user or client, if it is known
	From     time.Time `json:"from,omitzero"`  // of a series: the start of the hour or day
	Calls    int64     `json:"calls"`
	Errors   int64     `json:"errors"` // that failed or were refused
	BytesIn  int64     `json:"bytes_in"`
	BytesOut int64     `json:"bytes_out"`
	Mean     float64   `json:"mean_milliseconds"`
	P50      float64   `json:"p50_milliseconds"`
	P95      float64   `json:"p95_milliseconds"`
	P99      float64   `json:"p99_milliseconds"`

	Costs Costs `json:"costs,omitempty"` // by currency, rounded
}

// Costs are amounts by their currency. They are never added.
type Costs map[string]string

// String writes the costs: 1.20 EUR, 3.00 USD.
func (c Costs) String() string {
	var all []string
	for _, currency := range slices.Sorted(maps.Keys(c)) {
		all = append(all, c[currency]+" "+currency)
	}
	return strings.Join(all, ", ")
}

// Store stores records. It may be used concurrently.
type Store interface {
	// AddCalls stores records. A record that is stored already is ignored: a caller
	// whose commit timed out adds it again.
	AddCalls(context.Context, []Record) error
	// Calls returns the records that a filter chooses, the earliest first unless it says otherwise.
	Calls(context.Context, Filter) ([]Record, error)
	// Tallies sums the calls that a filter chooses, grouped by by, or all in one if it
	// is "", and by the hours or days that they began in, unless step is 0. The
	// largest sums come first; a series is sorted by time.
	Tallies(ctx context.Context, f Filter, by By, step time.Duration) ([]Tally, error)
	// AddCharges stores charges, but none whose ID is stored already.
	AddCharges(context.Context, []Charge) error
	// Costs sums the charges that a filter chooses, which neither names a tool nor an outcome, by by,
	// which is not ByTool. They are sorted by their fields.
	Costs(ctx context.Context, f Filter, by By) ([]Cost, error)
	// DropCalls deletes at most limit records, charges and sums of each from before a time,
	// and returns how many.
	DropCalls(ctx context.Context, before time.Time, limit int) (int, error)
}

// Log is a queue of records that are written into a store, beside one of charges. Run both.
type Log struct {
	batch.Queue[Record]
	Charges batch.Queue[Charge]
}

// NewLog returns the log of a store. Run it.
func NewLog(store Store, log *slog.Logger) *Log {
	return &Log{
		batch.Queue[Record]{Write: store.AddCalls, Log: log, What: "usage"},
		batch.Queue[Charge]{Write: store.AddCharges, Log: log, What: "charges"},
	}
}

// Record queues a record to be written. It neither waits nor fails.
func (l *Log) Record(r Record) {
	r.At, r.ID, r.Millis = r.At.UTC().Truncate(
		time.Millisecond,
	), uuid.NewString(), r.Took.Milliseconds()
	l.Add(r)
}
