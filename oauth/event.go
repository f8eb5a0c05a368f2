package oauth

import (
	"context"
)

// Events records what an operator may have to account for: who signed in, who approved what, which
// grants ended and why. Happened must not block. Events hold no secrets.
type Events interface {
	Happened(context.Context, Event)
}

// Event is one thing that happened.
type Event struct {
	Kind      EventKind
	Outcome   EventOutcome // "" is done
	AccountID string       // of the actor; "" if not signed in
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
	EventLink       EventKind = "sign-in link"
	EventPassword   EventKind = "password changed"
	EventPasskey    EventKind = "passkey" // or recovery codes
	EventKey        EventKind = "key rotated"
)

// EventOutcome says how it ended.
type EventOutcome string

// The outcomes other than that it was done.
const (
	EventFailed EventOutcome = "failed"
	EventDenied EventOutcome = "denied"
)
