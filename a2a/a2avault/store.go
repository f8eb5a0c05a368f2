package a2avault

import (
	"context"
	"errors"
	"time"
)

// ErrNone is returned for a connection or attempt that does not exist.
var ErrNone = errors.New("not connected")

// ErrChanged is returned if a connection has changed since it was read.
var ErrChanged = errors.New("the connection has changed meanwhile")

// ErrTooMany is returned if a user has too many open attempts.
var ErrTooMany = errors.New("too many attempts")

// MostAttempts bounds the open attempts of a user.
const MostAttempts = 20

// Row is a connection as it is stored.
type Row struct {
	Owner, Agent string
	Kind         Kind
	Sealed       string
	Version      int64 // set by the store
	Connected    time.Time
	Updated      time.Time
}

// Attempt is a sign-in at an authorization server that has not finished.
type Attempt struct {
	State   string // a hash
	Browser string // a hash
	Owner   string
	Agent   string
	Task    string // that goes on afterwards; "" is none
	Sealed  string
	Expires time.Time
}

// Store keeps connections. Its methods are steps; each is atomic, and all may be called
// concurrently by several replicas that share one database. Times are kept to the millisecond.
type Store interface {
	// PutConnection stores r and replaces an older row.
	PutConnection(ctx context.Context, r Row) error

	// Connection returns the connection of owner to an agent, or ErrNone.
	Connection(ctx context.Context, owner, agent string) (*Row, error)

	// Connections returns all of owner's, by the names of the agents.
	Connections(ctx context.Context, owner string) ([]Row, error)

	// ForgetConnection deletes a connection, or returns ErrNone.
	ForgetConnection(ctx context.Context, owner, agent string) error

	// ClaimRenewal lets holder alone renew r as long as lasts. Of any number of calls about one
	// version, one succeeds in that time; the others get ErrChanged. Where replicas share the
	// store, its clock counts, and not now: two replicas must not use one refresh token.
	ClaimRenewal(
		ctx context.Context,
		r *Row,
		holder string,
		now time.Time,
		lasts time.Duration,
	) error

	// SaveRenewal writes the Kind, Sealed and Updated of r, which holder has
	// claimed, and ends the claim. It returns ErrChanged, and writes nothing, when
	// the connection is another by now, or the claim another's.
	SaveRenewal(ctx context.Context, r *Row, holder string) error

	// AddAttempt records an attempt. An owner who has MostAttempts gets ErrTooMany;
	// concurrent calls may exceed it.
	AddAttempt(ctx context.Context, a Attempt) error

	// TakeAttempt returns an attempt and deletes it. Of any number of calls with one state, exactly
	// one succeeds; the others, and calls after the attempt has expired, get ErrNone.
	TakeAttempt(ctx context.Context, state string, now time.Time) (*Attempt, error)

	// DropAttempts deletes the attempts that expired before a time.
	DropAttempts(ctx context.Context, before time.Time) error
}
