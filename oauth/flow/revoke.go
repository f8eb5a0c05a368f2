package flow

import (
	"context"
	"errors"
	"net/http"

	"rialto/oauth"
	"rialto/oauth/client"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/secret"
	"rialto/oauth/token"
)

// Revocation serves token revocation (RFC 7009).
type Revocation struct {
	Store         CodeStore
	Authenticator *client.Authenticator
	Tokens        *token.Tokens
	Env           *endpoint.Env
}

// Serve revokes the grant behind a token, be it a refresh or an access token: a client that gives
// one back has no use for the other (RFC 7009 section 2.1). token_type_hint is not needed, because
// the two look different. A token of another client is answered as one that was revoked already.
func (rv *Revocation) Serve(w http.ResponseWriter, r *http.Request) error {
	client, f, err := rv.Authenticator.Form(w, r)
	if err != nil {
		return err
	}
	if f.Get("token") == "" {
		return oauth.BadRequest("token is missing.")
	}

	g, err := rv.grantOf(r.Context(), f.Get("token"))
	if err != nil {
		return err
	}

	w.Header().Set("Cache-Control", "no-store")
	if g == nil || g.ClientID != client.ID {
		if e := rv.Env.CountRefusal(r, client.ID); e != nil {
			return e
		}
		return nil
	}

	err = rv.Tokens.Grants.Revoke(r.Context(), g.ID, "the client gave a token back")
	if err == nil {
		rv.Env.Audit(r, oauth.Event{
			Kind:      oauth.EventRevoked,
			AccountID: g.AccountID,
			Account:   g.Name,
			ClientID:  client.ID,
			GrantID:   g.ID,
			Detail:    "the client gave a token back",
		})
	}

	return err
}

// grantOf returns the grant of a token, or nil.
func (rv *Revocation) grantOf(ctx context.Context, token string) (*oauth.Grant, error) {
	if secret.Is(token, secret.RefreshPrefix) {
		_, g, err := rv.Store.Refresh(ctx, secret.Hash(token))
		return g, oauth.IfNotFound(err, nil)
	}

	p, err := rv.Tokens.Verify(ctx, token)
	if _, refused := errors.AsType[*oauth.Error](err); refused {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	g, err := rv.Tokens.Grants.Find(ctx, p.GrantID)
	return g, oauth.IfNotFound(err, nil)
}
