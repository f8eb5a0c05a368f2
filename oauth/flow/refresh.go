package flow

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"time"

	"rialto/internal/sealed"
	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/secret"
)

// maxUses bounds how often one refresh token may be presented within its
// grace: many processes of one desktop app, but not an endless number.
const maxUses = 100

// redeemRefresh exchanges a refresh token. Every use returns a new one, because
// most clients cannot keep a secret (RFC 9700 section 2.2.2).
func (te *TokenEndpoint) redeemRefresh(
	ctx context.Context,
	client *oauth.Client,
	asked *oauth.Resource,
	f endpoint.Form,
	jkt string,
) (*tokens, error) {
	plain := f.Get("refresh_token")
	if plain == "" {
		return nil, oauth.BadRequest("refresh_token is missing.")
	}
	if !secret.Is(plain, secret.RefreshPrefix) {
		return nil, badGrant("The refresh token was not issued here.")
	}

	token, grant, err := te.Store.Refresh(ctx, secret.Hash(plain))
	if err != nil {
		return nil, oauth.IfNotFound(err, badGrant("The refresh token is unknown."))
	}

	resource, err := te.resourceOf(grant, asked)
	if err != nil {
		return nil, err
	}

	grant.Scope = resource.Within(grant.Scope)
	scope, err := checkRefresh(token, grant, client, f.Get("scope"), jkt, te.Env.Now())
	if err != nil {
		return nil, err
	}

	successor, err := te.rotate(ctx, client, grant, plain, jkt)
	if err != nil {
		return nil, err
	}

	te.Tokens.Grants.NoteUse(grant.ID)
	return te.answer(ctx, grant, scope, jkt, successor)
}

// checkRefresh decides whether a refresh token may be used, and for which
// scopes. The scope can only shrink, for this access token; the refresh token
// keeps the granted scope (RFC 6749 section 6).
func checkRefresh(
	t *oauth.Refresh,
	g *oauth.Grant,
	c *oauth.Client,
	asked, jkt string,
	now time.Time,
) (oauth.ScopeSet, error) {
	if t.ClientID != c.ID {
		return nil, badGrant("The refresh token was issued to another client.")
	}
	if !now.Before(t.Expires) {
		return nil, badGrant("The refresh token has expired.")
	}
	if t.JKT != "" && t.JKT != jkt {
		return nil, badGrant("The refresh token is bound to a key that the request does not prove.")
	}
	if !g.Live(now) {
		return nil, badGrant("The grant has ended.")
	}

	left := g.Allows(g.Scope)
	if left.OpensNothing() {
		return nil, badGrant("The account may no longer grant any of these scopes.")
	}

	scope, ok := left.Narrow(oauth.ParseScope(asked))
	if !ok {
		return nil, oauth.Refuse("invalid_scope", "The scope is wider than what was granted.")
	}

	return scope, nil
}

// rotate uses up a refresh token and returns its successor. A token that was
// used within the grace gets the same successor again: the first answer may
// have been lost, or two processes may have raced. A token that was used before
// that has leaked, and the grant is revoked (RFC 9700 section 4.14.2).
func (te *TokenEndpoint) rotate(
	ctx context.Context,
	client *oauth.Client,
	g *oauth.Grant,
	plain, jkt string,
) (string, error) {
	key, err := tokenKey(plain)
	if err != nil {
		return "", err
	}

	now := te.Env.Now()
	successor := secret.New(secret.RefreshPrefix)
	place := "refresh_tokens|successor|" + secret.Hash(plain)
	ours, err := sealed.Seal(key, place, []byte(successor))
	if err != nil {
		return "", err
	}

	stored, err := te.Store.Rotate(ctx, oauth.Rotation{
		Hash:     secret.Hash(plain),
		ClientID: client.ID,
		Next: oauth.Refresh{
			Hash:     secret.Hash(successor),
			ClientID: client.ID,
			JKT:      boundTo(client, jkt),
			Expires:  earlier(now.Add(te.RefreshIdle), g.Expires),
		},
		Sealed:  ours,
		Now:     now,
		Grace:   te.Grace,
		MaxUses: maxUses,
	})
	if err != nil {
		return "", te.refreshRefused(ctx, g, err)
	}
	if stored == ours {
		return successor, nil
	}

	te.Env.Log.InfoContext(
		ctx, "oauth: refresh token used again within its grace",
		"grant", g.ID,
		"client", client.ID,
	)
	first, err := sealed.Open(key, place, stored)
	return string(first), err
}

func (te *TokenEndpoint) refreshRefused(ctx context.Context, g *oauth.Grant, err error) error {
	if errors.Is(err, oauth.ErrReused) {
		te.Tokens.Grants.Forget()
		te.Env.Log.WarnContext(
			ctx, "oauth: refresh token used twice, grant revoked",
			"grant", g.ID,
			"client", g.ClientID,
		)
		e := badGrant("The refresh token was used before; the grant is revoked.")
		e.Event = &oauth.Event{
			Kind:      oauth.EventReuse,
			AccountID: g.AccountID,
			Account:   g.Name,
			ClientID:  g.ClientID,
			GrantID:   g.ID,
			Detail:    "refresh token",
		}
		return e
	}
	return oauth.IfNotFound(err, badGrant("The grant has ended."))
}

// badGrant refuses a code, a refresh token, or the grant behind it.
func badGrant(format string, args ...any) *oauth.Error {
	return oauth.Refuse("invalid_grant", format, args...)
}

// tokenKey derives the key that seals a successor from its parent's plain
// text, which the store never sees: a copy of the database opens nothing.
func tokenKey(token string) ([]byte, error) {
	return hkdf.Key(sha256.New, []byte(token), nil, "rialto refresh successor", 32)
}
