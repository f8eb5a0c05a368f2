// Package client finds out which client sends a request: those of the operator,
// those that registered (RFC 7591), and those whose ID is the URL of their
// metadata document. It does not know people.
package client

import (
	"context"
	"time"

	"rialto/oauth"
)

// Store keeps registered clients.
type Store interface {
	// AddClient records a client. If the store holds limit clients or more, it
	// removes the oldest client that never got a grant.
	AddClient(ctx context.Context, c *oauth.Client, limit int) error
	// Client returns a client, or ErrNotFound.
	Client(ctx context.Context, id string) (*oauth.Client, error)
	// Clients returns up to limit clients whose ID is greater than after, in
	// the order of their IDs.
	Clients(ctx context.Context, after string, limit int) ([]*oauth.Client, error)
	// UpdateClient replaces what a client registered, if manageHash is still
	// the one it was recorded with: of many calls with one manageHash, exactly
	// one succeeds if each brings another. The others get ErrNotFound.
	UpdateClient(ctx context.Context, c *oauth.Client, manageHash string) error
	// RemoveClient forgets a client and revokes every grant that it has, or returns ErrNotFound.
	RemoveClient(ctx context.Context, id string, now time.Time) error
}

// DocumentStore keeps the documents of clients whose ID is a URL.
type DocumentStore interface {
	// Document returns the document of a client, fresh or not, or ErrNotFound.
	Document(ctx context.Context, id string) (*oauth.Document, error)
	// KeepDocument records a document, in the place of an older one. If the store holds limit
	// others or more, it removes the oldest documents of clients without a grant.
	KeepDocument(ctx context.Context, d *oauth.Document, limit int) error
	// DropDocument forgets a document, or returns ErrNotFound.
	DropDocument(ctx context.Context, id string) error
}
