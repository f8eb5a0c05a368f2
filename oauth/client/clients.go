package client

import (
	"context"
	"log/slog"
	"time"

	"rialto/oauth"
	"rialto/oauth/internal/cache"
	"rialto/oauth/internal/secret"
	"rialto/oauth/token"
)

// Clients finds clients: those of the operator, those with a metadata document,
// and those that registered.
type Clients struct {
	Configured []Configured
	Documents  *Documents
	Policy     *Policy
	Store      Store
	Grants     *token.Grants
	Now        func() time.Time
	Log        *slog.Logger

	recent cache.Recent[*oauth.Client] // that registered
}

// Find returns the client with an ID. Do not change it: it is shared.
func (cs *Clients) Find(ctx context.Context, id string) (*oauth.Client, error) {
	if c := cs.configured(id); c != nil {
		return c, nil
	}
	if cs.Documents.isID(id) {
		return cs.Documents.client(ctx, id)
	}
	return cs.recent.Get(id, cs.Now(), func() (*oauth.Client, error) { return cs.Registered(ctx, id) })
}

// Registered finds a client that registered itself.
func (cs *Clients) Registered(ctx context.Context, id string) (*oauth.Client, error) {
	if !secret.Is(id, secret.ClientPrefix) {
		return nil, oauth.ErrNotFound
	}
	return cs.Store.Client(ctx, id)
}

// forgetRecent makes the next request read its client from the store.
func (cs *Clients) forgetRecent() { cs.recent.Forget() }
