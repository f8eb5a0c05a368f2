// Package token makes and checks access tokens: signing keys, grants, DPoP proofs, tokens of
// trusted issuers, and the guard of a resource. It does not know how a client gets a token.
package token

import (
	"context"
	"time"

	"rialto/oauth"
)

// OnceStore remembers assertions and proofs, which work once.
type OnceStore interface {
	// UseOnce records the use of something that expires at expires. Of any number of calls with one
	// hash, exactly one succeeds; the others get ErrReused.
	UseOnce(ctx context.Context, hash string, expires time.Time) error
}

// GrantStore keeps what people have allowed. A grant that is revoked never comes back to life.
type GrantStore interface {
	// AddGrant records a grant that needs no code.
	AddGrant(ctx context.Context, g *oauth.Grant) error
	// Grant returns a grant, live or not, or ErrNotFound.
	Grant(ctx context.Context, id string) (*oauth.Grant, error)
	// RevokeGrant ends a grant and everything issued under it. It is no error if there is none.
	RevokeGrant(ctx context.Context, id string, now time.Time) error
	// RevokeGrants ends at most limit live grants of an account, of a client, or those that the one
	// has given the other, and returns how many; "" is any, and one of them is not.
	RevokeGrants(
		ctx context.Context,
		accountID, clientID string,
		now time.Time,
		limit int,
	) (int, error)
	// NoteUses records when grants were used, by their IDs. A later use stays.
	NoteUses(ctx context.Context, last map[string]time.Time) error
}

// KeyStore keeps signing keys, encrypted by their owner.
type KeyStore interface {
	// Keys returns the keys that have not expired at now, oldest first.
	Keys(ctx context.Context, now time.Time) ([]oauth.SealedKey, error)
	// AddKey records a key unless there is one of the same Seq: of replicas
	// that rotate at once, one wins, and the others get no error. The keys before
	// it then end with the last token that they signed, but not before retired.
	AddKey(ctx context.Context, k oauth.SealedKey, retired time.Time) error
	// NoteSigned records that something that a key signs lives until a time, and
	// the key at least as long, or returns ErrNotFound.
	NoteSigned(ctx context.Context, keyID string, until time.Time) error
	// RemoveKey forgets a key and records its replacement, unless that is nil, whose Seq is then
	// the highest. Of any number of calls with one key, exactly one succeeds; the others get
	// ErrNotFound and change nothing.
	RemoveKey(ctx context.Context, keyID string, replacement *oauth.SealedKey) error
}
