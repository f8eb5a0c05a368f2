package token

import (
	"context"
	"errors"
	"sync"
	"time"

	"rialto/internal/lru"
	"rialto/oauth"
	"rialto/oauth/internal/cache"
	"rialto/oauth/internal/endpoint"
)

// Grants reads and revokes grants.
type Grants struct {
	Store GrantStore
	Env   *endpoint.Env

	recent cache.Recent[*oauth.Grant]
	uses   usage
}

// Add records a grant that needs no code.
func (gs *Grants) Add(ctx context.Context, g *oauth.Grant) error {
	return gs.Store.AddGrant(ctx, g)
}

// Find returns a grant, live or not, or ErrNotFound.
func (gs *Grants) Find(ctx context.Context, id string) (*oauth.Grant, error) {
	return gs.Store.Grant(ctx, id)
}

// Live returns a grant if it is alive, or nil.
func (gs *Grants) Live(ctx context.Context, id string, until time.Time) (*oauth.Grant, error) {
	g, err := gs.recent.Get(id, gs.Env.Now(), func() (*oauth.Grant, error) {
		ctx, cancel := context.WithDeadline(ctx, until)
		defer cancel()
		g, err := gs.Store.Grant(ctx, id)
		if errors.Is(err, oauth.ErrNotFound) {
			return nil, nil
		}
		if err == nil {
			gs.NoteUse(id)
		}
		return g, err
	})
	if err != nil || g == nil || !g.Live(gs.Env.Now()) {
		return nil, err
	}

	return g, nil
}

// Revoke ends a grant, at once for this process.
func (gs *Grants) Revoke(ctx context.Context, id, why string) error {
	err := gs.Store.RevokeGrant(ctx, id, gs.Env.Now())
	gs.Forget()
	if err == nil {
		gs.Env.Log.InfoContext(ctx, "oauth: grant revoked", "grant", id, "why", why)
	}
	return err
}

// Forget makes the next request read its grant from the store.
func (gs *Grants) Forget() { gs.recent.Forget() }

// Epoch counts the revocations of this process.
func (gs *Grants) Epoch() int { return gs.recent.Current() }

// NoteUse records in memory that a grant is used now.
func (gs *Grants) NoteUse(id string) { gs.uses.note(id, gs.Env.Now()) }

// revokeBatch is how many grants one statement revokes.
const revokeBatch = 500

// End revokes a grant and everything issued under it, at once for this process.
// An unknown ID is no error.
func (gs *Grants) End(ctx context.Context, id string) error {
	return gs.Revoke(ctx, id, "somebody ended it")
}

// EndAll revokes the grants of an account, of a client, or of both; "" is any.
// It returns how many were live. It revokes none if both are "".
func (gs *Grants) EndAll(ctx context.Context, accountID, clientID string) (ended int, err error) {
	if accountID == "" && clientID == "" {
		return 0, nil
	}
	defer gs.Forget()
	for {
		n, err := gs.Store.RevokeGrants(ctx, accountID, clientID, gs.Env.Now(), revokeBatch)
		ended += n
		if err != nil || n < revokeBatch {
			if ended > 0 {
				gs.Env.Log.InfoContext(
					ctx, "oauth: grants revoked",
					"account", accountID,
					"client", clientID,
					"grants", ended,
				)
			}
			return ended, err
		}
	}
}

// usage collects which grants were used since the last take. Its zero value is empty.
type usage struct {
	mu   sync.Mutex
	last map[string]time.Time // by ID of the grant
}

// note remembers a use, of at most lru.Size grants a minute.
func (u *usage) note(grant string, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.last == nil {
		u.last = map[string]time.Time{}
	}
	if _, ok := u.last[grant]; ok || len(u.last) < lru.Size {
		u.last[grant] = now
	}
}

func (u *usage) take() map[string]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	all := u.last
	u.last = nil
	return all
}

// SaveUses writes when each grant was used last. Call it every minute and at
// shutdown: requests only note uses in memory.
func (gs *Grants) SaveUses(ctx context.Context) error {
	last := gs.uses.take()
	if len(last) == 0 {
		return nil
	}
	return gs.Store.NoteUses(ctx, last)
}
