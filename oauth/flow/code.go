package flow

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/secret"
)

// redeemCode exchanges an authorization code (RFC 6749 section 4.1.3). The code is used up before
// its binding is checked, so that a wrong attempt cannot be repeated. That holds for another resource,
// too: RFC 8707 section 2.2 names only the error, and a code works once. Without it nothing can come of
// the grant, which ends.
func (te *TokenEndpoint) redeemCode(
	ctx context.Context,
	client *oauth.Client,
	asked *oauth.Resource,
	f endpoint.Form,
	jkt string,
) (*tokens, error) {
	if f.Get("code") == "" {
		return nil, oauth.BadRequest("code is missing.")
	}
	if !secret.Is(f.Get("code"), secret.CodePrefix) {
		return nil, badGrant("The code was not issued here.")
	}

	refresh, first := te.firstRefresh(client, jkt)
	code, err := te.Store.TakeCode(ctx, secret.Hash(f.Get("code")), client.ID, first, te.Env.Now())
	if err != nil {
		return nil, te.codeRefused(ctx, client, err)
	}
	wrong := checkCode(
		code,
		f.Get("redirect_uri"),
		f.Get("code_verifier"),
		jkt,
		te.Env.Now(),
	)
	var resource *oauth.Resource
	if wrong == nil {
		resource, wrong = te.resourceOf(code.Grant, asked)
	}
	if wrong != nil {
		why := "a code was presented wrongly"
		if err := te.Tokens.Grants.Revoke(ctx, code.Grant.ID, why); err != nil {
			return nil, err
		}
		return nil, wrong
	}

	scope := resource.Within(code.Grant.Allows(code.Grant.Scope))
	return te.answer(ctx, code.Grant, scope, jkt, refresh)
}

// firstRefresh makes the first refresh token of a grant, or none if the client
// did not register for refresh tokens.
func (te *TokenEndpoint) firstRefresh(
	client *oauth.Client, jkt string,
) (plain string, row *oauth.Refresh) {
	if !client.May(oauth.GrantRefreshToken) {
		return "", nil
	}

	plain = secret.New(secret.RefreshPrefix)
	return plain, &oauth.Refresh{
		Hash:     secret.Hash(plain),
		ClientID: client.ID,
		JKT:      boundTo(client, jkt),
		Expires:  te.Env.Now().Add(te.RefreshIdle),
	}
}

// boundTo returns the key that a client's refresh tokens are bound to: a client
// that authenticates at every use needs none (RFC 9449 section 5).
func boundTo(client *oauth.Client, jkt string) string {
	if client.Public() {
		return jkt
	}
	return ""
}

// codeRefused explains why a code could not be taken. If the same client used
// it before, it has leaked, and its grant is revoked by now.
func (te *TokenEndpoint) codeRefused(ctx context.Context, client *oauth.Client, err error) error {
	if errors.Is(err, oauth.ErrReused) {
		te.Tokens.Grants.Forget()
		te.Env.Log.WarnContext(ctx, "oauth: code used twice, grant revoked", "client", client.ID)
		e := badGrant("The code was used before; what it gave is revoked.")
		e.Event = &oauth.Event{
			Kind:     oauth.EventReuse,
			ClientID: client.ID,
			Detail:   "authorization code",
		}
		return e
	}
	return oauth.IfNotFound(err, badGrant("The code is unknown or was issued to another client."))
}

// checkCode decides whether a code is presented as it was issued. Each check
// has a return of its own: another server exchanged codes across clients
// because of one "and" that should have been an "or".
func checkCode(c *oauth.Code, redirect, verifier, jkt string, now time.Time) error {
	if !now.Before(c.Expires) {
		return badGrant("The code has expired.")
	}
	if c.RedirectURI != redirect {
		return badGrant("redirect_uri is not that of the authorization request.")
	}
	if !verifies(c.Challenge, verifier) {
		return badGrant("code_verifier does not match.")
	}
	if c.JKT != "" && c.JKT != jkt {
		return badGrant("The code is bound to a key that the request does not prove.")
	}
	if !c.Grant.Live(now) {
		return badGrant("The grant has ended.")
	}

	return nil
}

// verifies checks PKCE (RFC 7636 sections 4.1 and 4.6).
func verifies(challenge, verifier string) bool {
	if len(verifier) < 43 || len(verifier) > 128 {
		return false
	}
	if strings.Trim(verifier, secret.Base64URL+".~") != "" {
		return false
	}
	sum := sha256.Sum256([]byte(verifier))
	return secret.Same(base64.RawURLEncoding.EncodeToString(sum[:]), challenge)
}
