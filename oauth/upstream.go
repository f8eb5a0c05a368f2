package oauth

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// Upstream is an issuer whose access tokens the guard lets through as they are,
// without a login here. Issuer is required, with its Audiences.
type Upstream struct {
	Issuer Issuer
	Scope  string // which every token of it must hold; "" asks for none
}

// upstreamFresh is how long a token of another issuer is believed without
// looking at its keys and its account again.
const upstreamFresh = 30 * time.Second

// checkUpstreams says what an operator set wrongly.
func (s *Server) checkUpstreams() error {
	seen := map[string]bool{s.Issuer: true}
	for _, u := range s.Upstreams {
		if len(u.Issuer.Audiences) == 0 {
			return fmt.Errorf("issuer %q: it needs the audience of its tokens for this server", u.Issuer.URL)
		}
		if err := u.Issuer.check(); err != nil {
			return err
		}
		if seen[u.Issuer.URL] {
			return fmt.Errorf("issuer %q is there twice, or is this server itself", u.Issuer.URL)
		}
		seen[u.Issuer.URL] = true
	}
	return nil
}

// upstreamOf returns the issuer that a token names, if the operator listed it.
// Nothing is believed yet, and nothing is fetched for any other.
func (s *Server) upstreamOf(token string) *Upstream {
	if len(s.Upstreams) == 0 {
		return nil
	}
	parts, ok := splitToken(token)
	var c struct {
		Issuer string `json:"iss"`
	}
	if !ok || json.Unmarshal(parts[1], &c) != nil {
		return nil
	}
	i := slices.IndexFunc(s.Upstreams, func(u Upstream) bool { return u.Issuer.URL == c.Issuer })
	if i < 0 {
		return nil
	}
	return &s.Upstreams[i]
}

// admittedFrom returns whom a token of another issuer stands for here. There is
// no grant to revoke: its account is looked at again after half a minute, or at
// once when something was revoked in this process.
func (s *Server) admittedFrom(ctx context.Context, u *Upstream, token string) (Principal, error) {
	key, now, epoch := sha256.Sum256([]byte(token)), s.Now(), s.grantEpoch()
	seen, ok := s.foreign.get(key)
	if ok && seen.epoch == epoch && now.Sub(seen.at) < upstreamFresh && !now.Before(seen.at) && now.Before(seen.value.Expires) {
		return seen.value, nil
	}
	claims, err := s.verifyForeign(ctx, &u.Issuer, token)
	if err != nil {
		return Principal{}, s.upstreamRefused(ctx, err)
	}
	p, err := s.upstreamPrincipal(ctx, u, claims)
	if err == nil {
		s.foreign.put(key, sighting[Principal]{p, now, epoch})
	}
	return p, err
}

// upstreamRefused says of an issuer that cannot be reached that it is a matter
// of time: the token may be good.
func (s *Server) upstreamRefused(ctx context.Context, err error) error {
	if e, ok := errors.AsType[*errUnreachable](err); ok {
		s.Log.WarnContext(ctx, "oauth: a token could not be checked", "error", e)
		return &Error{Code: "temporarily_unavailable", Description: "The keys of the issuer cannot be had now.", after: issuerRetry}
	}
	return err
}

// upstreamPrincipal finds the account of a token's subject. The operator's
// scope is for people who sign in here: another server does not give it.
func (s *Server) upstreamPrincipal(ctx context.Context, u *Upstream, c *foreignClaims) (Principal, error) {
	scope := slices.DeleteFunc(parseScope(c.Scope), func(word string) bool {
		return word == ScopeAdmin || word == offlineAccess || !s.understands(word)
	})
	switch {
	case u.Scope != "" && !parseScope(c.Scope).Has(u.Scope) && !scope.Meets(u.Scope):
		return Principal{}, refuse("insufficient_scope", "The access token does not hold the scope that its issuer must give.")
	case c.Key != nil && c.Key.JKT == "":
		return Principal{}, badToken("It is bound in a way that is not known here.")
	case len(c.ClientID) > maxSubject || !isText(c.ClientID) || !isText(c.Subject):
		return Principal{}, badToken("It names its client or subject in a way that cannot be.")
	}
	a, err := s.identify(ctx, &Account{Issuer: c.Issuer, Subject: c.Subject, Name: accountName(pastedIssuer, c.Subject, c.Subject)}, false)
	if e, ok := errors.AsType[*errTurnedAway](err); ok {
		return Principal{}, badToken(e.words)
	}
	if err != nil {
		return Principal{}, err
	}
	p := Principal{User: a.ID, Name: a.Name, ClientID: strings.TrimSpace(c.Issuer + " " + c.ClientID), Scope: scope.within(a.UseCases), Expires: time.Unix(c.Expires, 0)}
	if c.Key != nil {
		p.jkt = c.Key.JKT
	}
	return p, nil
}
