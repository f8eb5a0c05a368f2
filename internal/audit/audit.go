// Package audit records who did what to a server: sign-ins, consents, and changes of
// permissions. Events are written in the background, never changed, and
// deleted after a time. They have no secrets and no contents of messages.
//
// It does not know where events are stored, or what they mean to the code that reports them.
package audit

import (
	"context"
	"log/slog"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"rialto/internal/batch"
)

// Kind says what happened. Its first word is the kind of target.
type Kind string

// The kinds of events.
const (
	SignIn  Kind = "sign_in" // a sign-in, or an attempt
	Consent Kind = "consent" // a user allowed or denied a client something
	Reuse   Kind = "token.reused"
	Issued  Kind = "token.issued" // an operator issued a token for an account

	ClientRegistered Kind = "client.registered"
	ClientChanged    Kind = "client.changed"
	ClientRemoved    Kind = "client.removed"

	GrantRevoked Kind = "grant.revoked"

	AccountAdded    Kind = "account.added"
	AccountRemoved  Kind = "account.removed"
	AccountPassword Kind = "account.password"
	AccountAdmin    Kind = "account.admin"
	AccountDisabled Kind = "account.disabled"

	AccountSignedOut Kind = "account.signed_out" // by an operator
	AccountLink      Kind = "account.link"       // an operator made a sign-in link, or it was used
	AccountPasskey   Kind = "account.passkey"    // a passkey or recovery codes changed

	AgentAdded    Kind = "agent.added"
	AgentChanged  Kind = "agent.changed"
	AgentRemoved  Kind = "agent.removed"
	AgentEnabled  Kind = "agent.enabled"
	AgentDisabled Kind = "agent.disabled"
	CardAccepted  Kind = "agent.card_accepted"

	ConnectorAdded   Kind = "connector.added"
	ConnectorChanged Kind = "connector.changed"
	ConnectorRemoved Kind = "connector.removed"

	AgentConnected Kind = "connection.added" // a user connected an account at an agent
	AgentForgotten Kind = "connection.removed"

	TaskCanceled Kind = "task.canceled" // by an operator

	KeyRotated Kind = "key.rotated"
	KeyRevoked Kind = "key.revoked"
	Settings   Kind = "settings.changed"  // with a restart
	Reloaded   Kind = "settings.reloaded" // while the server runs
)

// Kinds lists all kinds, for filters.
var Kinds = []Kind{
	SignIn,
	Consent,
	Reuse,
	Issued,
	ClientRegistered,
	ClientChanged,
	ClientRemoved,
	GrantRevoked,
	AccountAdded,
	AccountRemoved,
	AccountPassword,
	AccountAdmin,
	AccountDisabled,
	AccountSignedOut,
	AccountLink,
	AccountPasskey,
	AgentAdded,
	AgentChanged,
	AgentRemoved,
	AgentEnabled,
	AgentDisabled,
	CardAccepted,
	ConnectorAdded,
	ConnectorChanged,
	ConnectorRemoved,
	AgentConnected,
	AgentForgotten,
	TaskCanceled,
	KeyRotated,
	KeyRevoked,
	Settings,
	Reloaded,
}

// Outcome says how an action ended.
type Outcome string

// The outcomes.
const (
	OK     Outcome = "ok"
	Failed Outcome = "failed" // it was refused, or an error stopped it
	Denied Outcome = "denied" // the user denied it
)

// Event is one action. Kind is required; the log sets At and ID.
type Event struct {
	ID      string    `json:"id"`
	At      time.Time `json:"time"`
	Kind    Kind      `json:"kind"`
	Outcome Outcome   `json:"outcome"`            // OK if empty
	ActorID string    `json:"actor_id,omitempty"` // of an account
	Actor   string    `json:"actor,omitempty"`    // the name of the account, or of another actor
	Address string    `json:"address,omitempty"`  // of the network
	Target  string    `json:"target,omitempty"`   // the ID or name of the client, grant, account or agent
	Detail  string    `json:"detail,omitempty"`   // a few words; no secrets
}

// Recorder takes events. It neither waits nor fails: events that cannot be written
// are counted and logged.
type Recorder interface {
	Record(context.Context, Event)
}

// Filter chooses events. Empty fields do not filter.
type Filter struct {
	Kind         Kind   // or the first word of kinds, such as "account"
	Actor        string // ID or name
	Text         string // in the actor, target or detail, in any letter case; of the latest Searched
	Searched     int
	Target       string
	Outcome      Outcome
	Since, Until time.Time // then or later; before

	After   Mark // only events after this one in the list
	Reverse bool // read the list from its end
	Limit   int  // required
}

// Mark is a place in the list, which starts with the latest event.
type Mark struct {
	At time.Time
	ID string
}

// Store stores events. It may be used concurrently.
type Store interface {
	// AddEvents stores events. An event that is stored already is ignored.
	AddEvents(context.Context, []Event) error
	// Events returns the events that a filter chooses, the latest first.
	Events(context.Context, Filter) ([]Event, error)
	// CountEvents counts the events that a filter chooses, up to its limit.
	CountEvents(context.Context, Filter) (int, error)
	// VerifyEvents checks the chain of all events. It returns a *BrokenError for the first event
	// that was changed, removed or moved, or is not as one of the anchors.
	VerifyEvents(ctx context.Context, anchors ...ChainEnd) (*Chain, error)
	// EndOfEvents returns the end of the chain.
	EndOfEvents(context.Context) (ChainEnd, error)
	// DropEvents deletes at most limit events from before a time, in the order in which they were
	// written, and returns how many. The chain begins after them.
	DropEvents(ctx context.Context, before time.Time, limit int) (int, error)
}

// Log is a Recorder that writes into a store. Store, Now and Log are required.
type Log struct {
	Store  Store
	Now    func() time.Time
	Log    *slog.Logger
	Stream Stream // nil for none

	batch.Queue[Event] // holds events until they are written; Open sets its fields, and Record adds to it
}

// Open prepares the log. Call it first.
func (l *Log) Open() *Log {
	l.Queue.Write = l.Store.AddEvents
	l.Queue.Log = l.Log
	l.Queue.What = "audit events"
	return l
}

// Record implements Recorder.
func (l *Log) Record(ctx context.Context, e Event) {
	// The ID sorts by time, for events of one millisecond.
	e.At = l.Now().UTC().Truncate(time.Millisecond)
	e.ID = uuid.Must(uuid.NewV7()).String()
	if e.Outcome == "" {
		e.Outcome = OK
	}

	for _, field := range []*string{&e.ActorID, &e.Actor, &e.Address, &e.Target, &e.Detail} {
		*field = line(*field)
	}

	if l.Stream != nil {
		l.Stream(ctx, e)
	}

	l.Add(e)
}

// longest bounds a field, in bytes.
const longest = 500

// line returns untrusted text as one bounded line.
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
