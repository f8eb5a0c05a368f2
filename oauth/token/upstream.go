package token

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rialto/internal/lru"
	"rialto/oauth"
	"rialto/oauth/internal/cache"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/jwt"
)

// Upstreams admits the access tokens of trusted issuers.
type Upstreams struct {
	Trusted    []Upstream
	Resources  *oauth.Resources // their tokens are for the default one
	Issuers    *Issuers
	Identities *Identities
	Scopes     *oauth.Scopes
	Env        *endpoint.Env

	seen lru.Cache[[32]byte, cache.Seen[oauth.Principal]]
}

// Upstream is an issuer whose access tokens the guard accepts, without a login
// here. Issuer is required, with its Audiences.
type Upstream struct {
	Issuer Issuer
	Scope  string // which every token of it must hold; "" asks for none
}

// upstreamFresh is how long a verified token of another issuer is cached.
const upstreamFresh = 30 * time.Second

// Check says what is wrong with the configuration.
func (us *Upstreams) Check() (faults error) {
	seen := map[string]bool{us.Env.Issuer: true}
	for _, u := range us.Trusted {
		if len(u.Issuer.Audiences) == 0 {
			faults = errors.Join(faults, fmt.Errorf(
				"issuer %q: it needs the audience of its tokens for this server", u.Issuer.URL,
			))
		}
		faults = errors.Join(faults, u.Issuer.Check())
		if seen[u.Issuer.URL] {
			faults = errors.Join(
				faults, fmt.Errorf("issuer %q is there twice, or is this server itself", u.Issuer.URL),
			)
		}
		seen[u.Issuer.URL] = true
	}

	return faults
}

// of returns the issuer that a token names, if the operator listed it. The
// token is not verified yet, and nothing is fetched for other issuers.
func (us *Upstreams) of(token string) *Upstream {
	if len(us.Trusted) == 0 {
		return nil
	}

	t, ok := jwt.Parse(token)
	var c struct {
		Issuer string `json:"iss"`
	}
	if !ok || t.Claims(&c) != nil {
		return nil
	}

	i := slices.IndexFunc(us.Trusted, func(u Upstream) bool { return u.Issuer.URL == c.Issuer })
	if i < 0 {
		return nil
	}

	return &us.Trusted[i]
}

// principal returns the principal of another issuer's token. It has no grant to revoke: its account
// is read again after half a minute, or at once after a revocation in this process.
func (us *Upstreams) principal(
	ctx context.Context, u *Upstream, token string,
) (p oauth.Principal, err error) {
	key := sha256.Sum256([]byte(token))
	now := us.Env.Now()
	epoch := us.Identities.Grants.Epoch()
	seen, ok := us.seen.Get(key)
	if ok && seen.Epoch == epoch && seen.Fresh(now, upstreamFresh) &&
		now.Before(seen.Value.Expires) {
		return seen.Value, nil
	}

	claims, err := us.Issuers.VerifyExternal(ctx, &u.Issuer, token)
	if err != nil {
		return p, us.refused(ctx, err)
	}

	p, err = us.identify(ctx, u, claims)
	if err == nil {
		us.seen.Put(key, cache.Seen[oauth.Principal]{Value: p, At: now, Epoch: epoch})
	}

	return p, err
}

// refused makes an unreachable issuer a temporary failure: the token may be valid.
func (us *Upstreams) refused(ctx context.Context, err error) error {
	if e, ok := errors.AsType[*ErrUnreachable](err); ok {
		us.Env.Log.WarnContext(ctx, "oauth: a token could not be checked", "error", e)
		return &oauth.Error{
			Code:        "temporarily_unavailable",
			Description: "The keys of the issuer cannot be had now.",
			RetryAfter:  jwt.KeysRetry,
		}
	}
	return err
}

// identify finds the account of a token's subject. It drops ScopeAdmin, which
// another server cannot grant.
func (us *Upstreams) identify(
	ctx context.Context, u *Upstream, c *externalClaims,
) (p oauth.Principal, err error) {
	scope := slices.DeleteFunc(oauth.ParseScope(c.Scope), func(word string) bool {
		return word == oauth.ScopeAdmin || word == oauth.OfflineAccess || !us.Scopes.Supports(word)
	})
	switch {
	case u.Scope != "" && !oauth.ParseScope(c.Scope).Has(u.Scope) && !scope.Meets(u.Scope):
		return p, oauth.Refuse(
			"insufficient_scope",
			"The access token does not hold the scope that its issuer must give.",
		)
	case c.Key != nil && c.Key.JKT == "":
		return p, BadToken("It is bound in a way that is not known here.")
	case len(c.ClientID) > oauth.MaxSubject || !endpoint.IsText(c.ClientID) || !endpoint.IsText(c.Subject):
		return p, BadToken(
			"It names its client or subject in a way that cannot be.",
		)
	}

	a, err := us.Identities.Identify(
		ctx,
		&oauth.Account{
			Issuer:  c.Issuer,
			Subject: c.Subject,
			Name:    AccountName(ExternalPrefix, c.Subject, c.Subject),
		},
		false,
	)
	if e, ok := errors.AsType[*ErrSignInDenied](err); ok {
		return p, BadToken(e.Reason)
	}
	if err != nil {
		return p, err
	}

	p = oauth.Principal{
		User:     a.ID,
		Name:     a.Name,
		ClientID: strings.TrimSpace(c.Issuer + " " + c.ClientID),
		Scope:    scope.Within(a.UseCases),
		Expires:  time.Unix(c.Expires, 0),
		Resource: us.Resources.Default().URL,
	}
	if c.Key != nil {
		p.KeyThumbprint = c.Key.JKT
	}

	return p, nil
}
