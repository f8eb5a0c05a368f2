package oauth

import (
	"context"
	"errors"
	"time"

	"rialto/internal/sealed"
)

// maxUses bounds how often one refresh token may be presented within its
// grace: many processes of one desktop app, but not an endless number.
const maxUses = 100

// redeemRefresh exchanges a refresh token. Every use gives a new one, because
// most clients cannot keep a secret (RFC 9700 section 2.2.2).
func (s *Server) redeemRefresh(ctx context.Context, client *Client, f form, jkt string) (*tokens, error) {
	plain := f.get("refresh_token")
	if plain == "" {
		return nil, refuse("invalid_request", "refresh_token is missing.")
	}
	if !isSecret(plain, refreshPrefix) {
		return nil, errRefresh("The refresh token is none of ours.")
	}
	token, grant, err := s.Store.Refresh(ctx, hash(plain))
	if errors.Is(err, ErrNotFound) {
		return nil, errRefresh("The refresh token is unknown.")
	}
	if err != nil {
		return nil, err
	}
	scope, err := checkRefresh(token, grant, client, f.get("scope"), jkt, s.Now())
	if err != nil {
		return nil, err
	}
	successor, err := s.rotate(ctx, client, grant, plain, jkt)
	if err != nil {
		return nil, err
	}
	s.noteUse(grant.ID)
	return s.answer(ctx, grant, scope, jkt, successor)
}

// checkRefresh decides whether a refresh token may be used, and for which
// scopes. Nothing is used up yet. The scope can only shrink, for this access
// token; the refresh token keeps what was granted (RFC 6749 section 6).
func checkRefresh(t *Refresh, g *Grant, c *Client, asked, jkt string, now time.Time) (ScopeSet, error) {
	if t.ClientID != c.ID {
		return nil, errRefresh("The refresh token was issued to another client.")
	}
	if !now.Before(t.Expires) {
		return nil, errRefresh("The refresh token has expired.")
	}
	if t.JKT != "" && t.JKT != jkt {
		return nil, errRefresh("The refresh token is bound to a key that the request does not prove.")
	}
	if !g.Live(now) {
		return nil, errRefresh("The grant has ended.")
	}
	left := g.allows(g.Scope)
	if len(left.without(offlineAccess)) == 0 {
		return nil, errRefresh("The account may do nothing any more of what it granted.")
	}
	scope, ok := left.narrow(parseScope(asked))
	if !ok {
		return nil, refuse("invalid_scope", "The scope is wider than what was granted.")
	}
	return scope, nil
}

// rotate uses up a refresh token and returns its successor. One that was used
// a moment ago gets the same successor again: the first answer may have been
// lost, or two processes may have raced. One that was used long ago is in two
// hands, and the family ends (RFC 9700 section 4.14.2).
func (s *Server) rotate(ctx context.Context, client *Client, g *Grant, plain, jkt string) (string, error) {
	key, err := tokenKey(plain)
	if err != nil {
		return "", err
	}
	now, successor, place := s.Now(), secret(refreshPrefix), "refresh_tokens|successor|"+hash(plain)
	ours, err := sealed.Seal(key, place, []byte(successor))
	if err != nil {
		return "", err
	}
	stored, err := s.Store.Rotate(ctx, Rotation{
		Hash:     hash(plain),
		ClientID: client.ID,
		Next:     Refresh{Hash: hash(successor), ClientID: client.ID, JKT: boundTo(client, jkt), Expires: earlier(now.Add(s.RefreshIdle), g.Expires)},
		Sealed:   ours,
		Now:      now,
		Grace:    s.Grace,
		MaxUses:  maxUses,
	})
	if err != nil {
		return "", s.refreshRefused(ctx, g, err)
	}
	if stored == ours {
		return successor, nil
	}
	s.Log.InfoContext(ctx, "oauth: refresh token used again within its grace", "grant", g.ID, "client", client.ID)
	first, err := sealed.Open(key, place, stored)
	return string(first), err
}

func (s *Server) refreshRefused(ctx context.Context, g *Grant, err error) error {
	switch {
	case errors.Is(err, ErrReused):
		s.forgetGrants()
		s.Log.WarnContext(ctx, "oauth: refresh token used twice, grant revoked", "grant", g.ID, "client", g.ClientID)
		e := errRefresh("The refresh token was used before; the grant is revoked.")
		e.event = &Event{Kind: EventReuse, AccountID: g.AccountID, Account: g.Name, ClientID: g.ClientID, GrantID: g.ID, Detail: "refresh token"}
		return e
	case errors.Is(err, ErrNotFound):
		return errRefresh("The grant has ended.")
	}
	return err
}

func errRefresh(description string) *Error { return refuse("invalid_grant", "%s", description) }
