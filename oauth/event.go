package oauth

import (
	"context"
)

// Events hears of what matters to whoever must answer for a server later: who
// signed in, who allowed what, which grants ended and why. It must not wait. It
// is told no secrets.
type Events interface {
	Happened(context.Context, Event)
}

// Event is one thing that happened.
type Event struct {
	Kind      EventKind
	Outcome   EventOutcome // "" is done
	AccountID string       // of whoever did it; "" if nobody was signed in
	Account   string       // its name
	ClientID  string       // that it is about
	GrantID   string       // that it is about
	Address   string       // of the network; "" if it came from none
	Detail    string       // a few words
}

// EventKind says what happened.
type EventKind string

// The kinds of events.
const (
	EventSignIn     EventKind = "sign-in"
	EventConsent    EventKind = "consent"
	EventReuse      EventKind = "reuse" // a code or a token came twice, and its grant was revoked
	EventRegistered EventKind = "client registered"
	EventChanged    EventKind = "client changed"
	EventRemoved    EventKind = "client removed"
	EventRevoked    EventKind = "grant revoked"
	EventAccount    EventKind = "account added" // the first
	EventKey        EventKind = "key rotated"
)

// EventOutcome says how it ended.
type EventOutcome string

// The outcomes other than that it was done.
const (
	EventFailed EventOutcome = "failed"
	EventDenied EventOutcome = "denied"
)
