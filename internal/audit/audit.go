// Package audit keeps who did what to a server: sign-ins, consents, and what
// changed who may do something. Any package may report an event to a Recorder;
// it is written soon, never changed, and forgotten after a time.
//
// Events hold no secrets and no contents: nothing of a token, a password, a
// message or an answer.
package audit

import (
	"context"
	"log/slog"
	"strings"
	"time"
	"unicode"

	"rialto/internal/batch"

	"github.com/google/uuid"
)

// Kind says what happened. Its first word is what it happened to.
type Kind string

// The kinds of events.
const (
	SignIn  Kind = "sign_in" // somebody signed in, or failed to
	Consent Kind = "consent" // a person allowed or refused a client something
	Reuse   Kind = "token.reused"
	Issued  Kind = "token.issued" // an operator made a token that acts for somebody

	ClientRegistered Kind = "client.registered"
	ClientChanged    Kind = "client.changed"
	ClientRemoved    Kind = "client.removed"

	GrantRevoked Kind = "grant.revoked"

	AccountAdded    Kind = "account.added"
	AccountRemoved  Kind = "account.removed"
	AccountPassword Kind = "account.password"
	AccountAdmin    Kind = "account.admin"
	AccountDisabled Kind = "account.disabled"

	AgentAdded    Kind = "agent.added"
	AgentChanged  Kind = "agent.changed"
	AgentRemoved  Kind = "agent.removed"
	AgentEnabled  Kind = "agent.enabled"
	AgentDisabled Kind = "agent.disabled"
	CardAccepted  Kind = "agent.card_accepted"

	AgentConnected Kind = "connection.added" // a person let us into an agent in their name
	AgentForgotten Kind = "connection.removed"

	TaskCanceled Kind = "task.canceled" // by an operator

	KeyRotated Kind = "key.rotated"
	Settings   Kind = "settings.changed"
)

// Kinds lists all kinds, for filters.
var Kinds = []Kind{
	SignIn, Consent, Reuse, Issued, ClientRegistered, ClientChanged, ClientRemoved, GrantRevoked,
	AccountAdded, AccountRemoved, AccountPassword, AccountAdmin, AccountDisabled,
	AgentAdded, AgentChanged, AgentRemoved, AgentEnabled, AgentDisabled, CardAccepted, AgentConnected, AgentForgotten,
	TaskCanceled, KeyRotated, Settings,
}

// Outcome says how it ended.
type Outcome string

// The outcomes.
const (
	OK     Outcome = "ok"
	Failed Outcome = "failed" // it was tried and refused
	Denied Outcome = "denied" // a person said no
)

// Event is one thing that somebody did. Kind is required; At and ID are filled in
// by the log.
type Event struct {
	ID      string    `json:"id"`
	At      time.Time `json:"time"`
	Kind    Kind      `json:"kind"`
	Outcome Outcome   `json:"outcome"`            // OK if empty
	ActorID string    `json:"actor_id,omitempty"` // of an account
	Actor   string    `json:"actor,omitempty"`    // its name, or who else it was
	Address string    `json:"address,omitempty"`  // of the network
	Target  string    `json:"target,omitempty"`   // what it was done to: the ID or name of a client, grant, account, agent
	Detail  string    `json:"detail,omitempty"`   // a few words; no secrets
}

// Recorder takes events. It never waits and never fails: what it cannot write it
// counts and logs.
type Recorder interface {
	Record(context.Context, Event)
}

// Filter chooses events. Empty fields do not filter.
type Filter struct {
	Kind         Kind   // or the first word of kinds, such as "account"
	Actor        string // ID or name
	Target       string
	Outcome      Outcome
	Since, Until time.Time // then or later; before

	After Mark // only what comes after this event in the list
	Limit int  // at most so many; required
}

// Mark is a place in the list, which begins with the latest event.
type Mark struct {
	At time.Time
	ID string
}

// Store keeps events. It may be used concurrently.
type Store interface {
	// AddEvents records events, each once, however often it is added.
	AddEvents(context.Context, []Event) error
	// Events returns those that a filter chooses, the latest first.
	Events(context.Context, Filter) ([]Event, error)
	// DropEvents forgets at most limit events from before a moment, and returns
	// how many.
	DropEvents(ctx context.Context, before time.Time, limit int) (int, error)
}

// Log is a Recorder that writes into a store. All fields are required.
type Log struct {
	Store Store
	Now   func() time.Time
	Log   *slog.Logger

	queue batch.Queue[Event]
}

// Open makes the log ready. Call it before anything else.
func (l *Log) Open() *Log {
	l.queue.Write, l.queue.Log, l.queue.What = l.Store.AddEvents, l.Log, "audit events"
	return l
}

// Record implements Recorder.
func (l *Log) Record(_ context.Context, e Event) {
	// The ID sorts by time: events of one millisecond are listed in their order.
	e.At, e.ID = l.Now().UTC().Truncate(time.Millisecond), uuid.Must(uuid.NewV7()).String()
	if e.Outcome == "" {
		e.Outcome = OK
	}
	for _, field := range []*string{&e.ActorID, &e.Actor, &e.Address, &e.Target, &e.Detail} {
		*field = line(*field)
	}
	l.queue.Add(e)
}

// Run writes what is recorded until ctx ends.
func (l *Log) Run(ctx context.Context) { l.queue.Run(ctx) }

// Flush writes what was recorded so far.
func (l *Log) Flush(ctx context.Context) { l.queue.Flush(ctx) }

// longest is how many bytes of a field are kept.
const longest = 500

// line makes a single line of what may come from strangers.
func line(s string) string {
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar || unicode.In(r, unicode.Cf) {
			return ' '
		}
		return r
	}, s)
}
