package oauth

import (
	"context"
	"errors"
)

// grantCredentials is for clients that act without a person (RFC 6749 section
// 4.4).
const grantCredentials = "client_credentials"

// redeemCredentials gives a client of the operator a token for the account
// that the operator named. There is no refresh token: the client can ask again.
func (s *Server) redeemCredentials(ctx context.Context, client *Client, f form, jkt string) (*tokens, error) {
	scope, err := s.grantable(f.get("scope"))
	if err != nil {
		return nil, err
	}
	a, err := s.Store.Account(ctx, client.user)
	if errors.Is(err, ErrNotFound) || err == nil && a.Disabled {
		s.Log.WarnContext(ctx, "oauth: the account of a client does not exist", "client", client.ID)
		return nil, refuse("unauthorized_client", "The account of the client does not exist here.")
	}
	if err != nil {
		return nil, err
	}
	if scope = allowed(scope, a.Admin).within(a.UseCases); len(scope) == 0 {
		return nil, refuse("invalid_scope", "The account of the client may not do what is asked for.")
	}
	g := s.newGrant(a.ID, client.ID, scope, s.Now())
	g.Expires = g.Created.Add(s.AccessTTL)
	if err := s.Store.AddGrant(ctx, g); err != nil {
		return nil, err
	}
	s.Log.InfoContext(ctx, "oauth: access granted to a client", "grant", g.ID, "client", client.ID, "user", a.ID, "scope", scope.String())
	return s.answer(ctx, g, scope, jkt, "")
}
