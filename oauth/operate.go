package oauth

import (
	"context"
	"errors"
	"sync"
	"time"
)

// endedAtOnce is how many grants one statement ends.
const endedAtOnce = 500

// ConfiguredClients returns the clients that the operator set up, as those that
// registered look like.
func (s *Server) ConfiguredClients() []*Client {
	var all []*Client
	for i := range s.Clients {
		all = append(all, s.Clients[i].client())
	}
	return all
}

// DocumentedClient returns the client that a document of the store describes. It
// fetches nothing.
func (s *Server) DocumentedClient(d *Document) (*Client, error) {
	return s.parseDocument(d.ID, []byte(d.Body))
}

// ClientName returns what a client calls itself, or its ID if nothing is known of
// it any more. It fetches nothing.
func (s *Server) ClientName(ctx context.Context, id string) (string, error) {
	if c := s.configuredClient(id); c != nil {
		return c.Name, nil
	}
	c, err := s.Store.Client(ctx, id)
	if errors.Is(err, ErrNotFound) {
		c, err = s.keptClient(ctx, id)
	}
	if errors.Is(err, ErrNotFound) {
		return id, nil
	}
	if err != nil {
		return "", err
	}
	return c.Name, nil
}

// keptClient returns the client of a document that the store has. One that is
// not understood is none.
func (s *Server) keptClient(ctx context.Context, id string) (*Client, error) {
	d, err := s.Store.Document(ctx, id)
	if err != nil {
		return nil, err
	}
	c, err := s.DocumentedClient(d)
	if err != nil {
		return nil, ErrNotFound
	}
	return c, nil
}

// RedirectHost returns the host that a redirect URI leads to, or the scheme and
// host of one for an app; the URI itself if it is none.
func RedirectHost(uri string) string {
	to, err := parseRedirect(uri)
	if err != nil {
		return uri
	}
	return to.host()
}

// ForgetClient forgets a client that registered, or its document, and ends every
// grant that it has. It returns ErrNotFound if there is neither.
func (s *Server) ForgetClient(ctx context.Context, id string) error {
	err := s.Store.RemoveClient(ctx, id, s.Now())
	if errors.Is(err, ErrNotFound) {
		err = s.Store.DropDocument(ctx, id)
	}
	s.forgetClients()
	s.forgetGrants()
	if err == nil {
		_, err = s.EndGrants(ctx, "", id)
	}
	if err == nil {
		s.Log.InfoContext(ctx, "oauth: client removed by the operator", "client", id)
	}
	return err
}

// EndGrant ends a grant and everything issued under it, at once for this
// process. It is no error if there is none.
func (s *Server) EndGrant(ctx context.Context, id string) error {
	return s.revokeGrant(ctx, id, "somebody ended it")
}

// EndGrants ends the grants of an account, of a client, or those that the one has
// given the other; "" is any. It returns how many were live. It ends none if both
// are "".
func (s *Server) EndGrants(ctx context.Context, accountID, clientID string) (ended int, err error) {
	if accountID == "" && clientID == "" {
		return 0, nil
	}
	defer s.forgetGrants()
	for {
		n, err := s.Store.RevokeGrants(ctx, accountID, clientID, s.Now(), endedAtOnce)
		ended += n
		if err != nil || n < endedAtOnce {
			if ended > 0 {
				s.Log.InfoContext(ctx, "oauth: grants revoked", "account", accountID, "client", clientID, "grants", ended)
			}
			return ended, err
		}
	}
}

// SetDisabled keeps an account from signing in and its grants from opening
// anything, or lets it again. It returns ErrNotFound if there is no account of
// that name.
func (s *Server) SetDisabled(ctx context.Context, name string, disabled bool) error {
	name, err := userName(name)
	if err != nil {
		return err
	}
	a, err := s.Store.Account(ctx, name)
	if err == nil {
		err = s.Store.SetDisabled(ctx, a.ID, disabled)
		s.forgetGrants()
	}
	return named(name, err)
}

// Rotates returns when the key is replaced, if the operator does not do so
// before.
func (k SigningKey) Rotates() time.Time { return k.Active.Add(keyLife) }

// uses remembers which grants were used since it was last asked. Its zero value
// is empty.
type uses struct {
	mu   sync.Mutex
	last map[string]time.Time // by ID of the grant
}

// note remembers a use. Beyond maxCached grants it does not: the next minute has
// room for them.
func (u *uses) note(grant string, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.last == nil {
		u.last = map[string]time.Time{}
	}
	if _, ok := u.last[grant]; ok || len(u.last) < maxCached {
		u.last[grant] = now
	}
}

func (u *uses) take() map[string]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	all := u.last
	u.last = nil
	return all
}

// SaveUses writes when each grant was used last. Call it every minute and at the
// end: a request only notes it in memory, where the grant is read anyway.
func (s *Server) SaveUses(ctx context.Context) error {
	last := s.uses.take()
	if len(last) == 0 {
		return nil
	}
	return s.Store.NoteUses(ctx, last)
}
