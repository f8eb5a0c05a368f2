package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"time"
)

// redeemCode exchanges an authorization code (RFC 6749 section 4.1.3). The
// code is used up before its binding is checked: whoever presents it wrongly
// does not get to try again.
func (s *Server) redeemCode(ctx context.Context, client *Client, f form, jkt string) (*tokens, error) {
	if f.get("code") == "" {
		return nil, refuse("invalid_request", "code is missing.")
	}
	if !isSecret(f.get("code"), codePrefix) {
		return nil, refuse("invalid_grant", "The code is none of ours.")
	}
	refresh, first := s.firstRefresh(client, jkt)
	code, err := s.Store.TakeCode(ctx, hash(f.get("code")), client.ID, first, s.Now())
	if err != nil {
		return nil, s.codeRefused(ctx, client, err)
	}
	if wrong := checkCode(code, f.get("redirect_uri"), f.get("code_verifier"), jkt, s.Now()); wrong != nil {
		if err := s.revokeGrant(ctx, code.Grant.ID, "a code was presented wrongly"); err != nil {
			return nil, err
		}
		return nil, wrong
	}
	return s.answer(ctx, code.Grant, code.Grant.allows(code.Grant.Scope), jkt, refresh)
}

// firstRefresh makes the refresh token that begins a family, or none for a
// client that did not register for one.
func (s *Server) firstRefresh(client *Client, jkt string) (plain string, row *Refresh) {
	if !client.may(grantRefresh) {
		return "", nil
	}
	plain = secret(refreshPrefix)
	return plain, &Refresh{Hash: hash(plain), ClientID: client.ID, JKT: boundTo(client, jkt), Expires: s.Now().Add(s.RefreshIdle)}
}

// boundTo returns the key that a client's refresh tokens are bound to: one that
// proves who it is at every use needs none (RFC 9449 section 5).
func boundTo(client *Client, jkt string) string {
	if client.unproven() {
		return jkt
	}
	return ""
}

// codeRefused explains why a code could not be taken. One that was used before
// by the same client is in two hands; its grant is revoked by now.
func (s *Server) codeRefused(ctx context.Context, client *Client, err error) error {
	switch {
	case errors.Is(err, ErrReused):
		s.forgetGrants()
		s.Log.WarnContext(ctx, "oauth: code used twice, grant revoked", "client", client.ID)
		e := refuse("invalid_grant", "The code was used before; what it gave is revoked.")
		e.event = &Event{Kind: EventReuse, ClientID: client.ID, Detail: "authorization code"}
		return e
	case errors.Is(err, ErrNotFound):
		return refuse("invalid_grant", "The code is unknown or was issued to another client.")
	}
	return err
}

// checkCode decides whether a code that was taken is presented as it was
// issued. Each check returns by itself: codes were exchanged across clients
// elsewhere because of one "and" that should have been an "or".
func checkCode(c *Code, redirect, verifier, jkt string, now time.Time) error {
	if !now.Before(c.Expires) {
		return refuse("invalid_grant", "The code has expired.")
	}
	if c.RedirectURI != redirect {
		return refuse("invalid_grant", "redirect_uri is not that of the authorization request.")
	}
	if !verifies(c.Challenge, verifier) {
		return refuse("invalid_grant", "code_verifier does not match.")
	}
	if c.JKT != "" && c.JKT != jkt {
		return refuse("invalid_grant", "The code is bound to a key that the request does not prove.")
	}
	if !c.Grant.Live(now) {
		return refuse("invalid_grant", "The grant has ended.")
	}
	return nil
}

// verifies checks PKCE (RFC 7636 sections 4.1 and 4.6).
func verifies(challenge, verifier string) bool {
	if len(verifier) < 43 || len(verifier) > 128 {
		return false
	}
	for i := range len(verifier) {
		if c := verifier[i]; c != '.' && c != '~' && !isBase64URL(verifier[i:i+1]) {
			return false
		}
	}
	sum := sha256.Sum256([]byte(verifier))
	return same(base64.RawURLEncoding.EncodeToString(sum[:]), challenge)
}
