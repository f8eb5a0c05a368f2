// Package oauth holds the words of the authorization server: scopes, grants,
// clients, accounts, errors, events, and the Principal of a request. It knows how
// they relate, and neither HTTP endpoints nor stores.
//
// The parts import each other in this order and never back: token (signing keys, access tokens, the
// guard of a resource), client (registration and authentication), signin (accounts, sessions,
// identity providers), flow (the authorization, token, introspection and revocation endpoints),
// authserver (all of them put together, with their routes). None of them knows MCP or A2A: a
// resource is a URL, and a permission is a word.
package oauth

import (
	"errors"
	"time"
)

// Sentinels that a Store returns. Every other error means that the store could not be asked.
var (
	// ErrNotFound says that something does not exist, has expired, or belongs to another.
	ErrNotFound = errors.New("oauth: not found")
	// ErrExists says that the name is taken.
	ErrExists = errors.New("oauth: exists already")
	// ErrReused says that something that works once was presented again, and
	// that the grant behind it is revoked now.
	ErrReused = errors.New("oauth: used before")
)

// IfNotFound returns instead for ErrNotFound, and other errors as they are.
func IfNotFound(err, instead error) error {
	if errors.Is(err, ErrNotFound) {
		return instead
	}
	return err
}

// Expiry says what DropExpired may forget.
type Expiry struct {
	Now     time.Time     // sessions, requests, documents, uses, refresh tokens and keys that expired before
	Grants  time.Time     // grants that ended before
	Clients time.Time     // clients without any grant that registered before
	Grace   time.Duration // sealed successors of tokens used longer ago than this
}
