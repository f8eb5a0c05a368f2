package token

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"golang.org/x/sync/singleflight"

	"rialto/internal/guardhttp"
	"rialto/oauth"
	"rialto/oauth/internal/cache"
	"rialto/oauth/internal/jwt"
)

// Issuers checks what other issuers signed.
type Issuers struct {
	Now func() time.Time
	Log *slog.Logger

	keys    cache.LRU[string, jwt.FetchedKeys] // by issuer
	failed  cache.LRU[string, time.Time]
	fetches singleflight.Group
}

// Issuer is an authorization server elsewhere whose tokens are believed. URL
// and Fetch are required, and Audiences for access tokens.
type Issuer struct {
	URL        string   // what its tokens name as iss, byte for byte
	KeysURL    string   // of its JWK set; "" finds it in the issuer's metadata
	Audiences  []string // of access tokens that are meant for us
	Algorithms []string // with which it signs; nil is every one that is sound
	Fetch      *guardhttp.Client
}

// How long the keys of an issuer are believed. An unknown key ID makes us look
// again, seldom enough that strangers cannot make us a nuisance.
const (
	issuerKeysFresh  = 5 * time.Minute
	issuerKeysReload = 30 * time.Second
	issuerKeysStale  = time.Hour // when they cannot be fetched again
	issuerRetry      = 10 * time.Second
	maxIssuerKeys    = 50
)

// ErrUnreachable says that an identity provider does not answer as it should.
// It may do so later.
type ErrUnreachable struct{ Err error }

func (e *ErrUnreachable) Error() string { return "identity provider: " + e.Err.Error() }

func (e *ErrUnreachable) Unwrap() error { return e.Err }

// Problem says it to a person.
func (e *ErrUnreachable) Problem() *oauth.Problem {
	return &oauth.Problem{
		Status: 503,
		Title:  "The identity provider does not answer",
		Detail: "It is needed to find out who you are, and cannot be reached now.",
		Remedy: "Try again in a minute. If it happens again, tell the people who run this server.",
		After:  time.Minute,
	}
}

// SigningAlgorithms returns those that the issuer may sign with. None is symmetric.
func (is *Issuer) SigningAlgorithms() []string {
	if is.Algorithms == nil {
		return jwt.Algorithms()
	}
	return is.Algorithms
}

// Check says what an operator set wrongly.
func (is *Issuer) Check() error {
	if err := is.Fetch.Check(is.URL); err != nil {
		return fmt.Errorf("issuer %q: %w", is.URL, err)
	}
	if is.KeysURL != "" {
		if err := is.Fetch.Check(is.KeysURL); err != nil {
			return fmt.Errorf("keys at %q: %w", is.KeysURL, err)
		}
	}
	for _, alg := range is.Algorithms {
		if !slices.Contains(jwt.Algorithms(), alg) {
			return fmt.Errorf("the algorithm %q is not one of %s", alg, strings.Join(jwt.Algorithms(), ", "))
		}
	}
	return nil
}

// issuerKeys returns the issuer's keys that may have signed with an algorithm
// under a key ID, which may be "".
func (iss *Issuers) issuerKeys(ctx context.Context, is *Issuer, keyID, alg string) ([]jose.JSONWebKey, error) {
	for _, fresh := range []time.Duration{issuerKeysFresh, issuerKeysReload} {
		keys, err := iss.issuerKeysAsOf(ctx, is, fresh)
		if err != nil {
			return nil, err
		}
		if found := jwt.Usable(keys, keyID, alg); len(found) > 0 {
			return found, nil
		}
	}
	return nil, nil
}

// issuerKeysAsOf returns the issuer's keys, fetched if what we have is older
// than fresh. When they cannot be fetched, what we have is good for an hour.
func (iss *Issuers) issuerKeysAsOf(ctx context.Context, is *Issuer, fresh time.Duration) ([]jose.JSONWebKey, error) {
	known, ok := iss.keys.Get(is.URL)
	age := iss.Now().Sub(known.At)
	if ok && age >= 0 && age < fresh {
		return known.Keys, nil
	}
	fetched, err, _ := iss.fetches.Do("issuer "+is.URL, func() (any, error) {
		return iss.fetchIssuerKeys(context.WithoutCancel(ctx), is)
	})
	if err == nil {
		return fetched.([]jose.JSONWebKey), nil
	}
	iss.Log.WarnContext(ctx, "oauth: keys of an issuer not fetched", "issuer", is.URL, "error", err)
	if ok && age < issuerKeysStale {
		return known.Keys, nil
	}
	return nil, &ErrUnreachable{Err: err}
}

func (iss *Issuers) fetchIssuerKeys(ctx context.Context, is *Issuer) (keys []jose.JSONWebKey, err error) {
	failed, ok := iss.failed.Get("issuer " + is.URL)
	if wait := failed.Add(issuerRetry).Sub(iss.Now()); ok && wait > 0 {
		return nil, fmt.Errorf("it failed a moment ago; trying again in %v", wait)
	}
	defer func() {
		if err != nil {
			iss.failed.Put("issuer "+is.URL, iss.Now())
		}
	}()
	at := is.KeysURL
	if at == "" {
		if at, err = is.discoverKeys(ctx); err != nil {
			return nil, err
		}
	}
	answer, err := is.Fetch.Get(ctx, at)
	if err != nil {
		return nil, err
	}
	keys, err = jwt.ParseKeys(answer.Body, maxIssuerKeys)
	if err != nil {
		return nil, err
	}
	iss.keys.Put(is.URL, jwt.FetchedKeys{Keys: keys, At: iss.Now()})
	return keys, nil
}

// discoverKeys finds the JWK set in the issuer's metadata, which must be about
// this issuer (OpenID Connect Discovery 1.0 section 4.3).
func (is *Issuer) discoverKeys(ctx context.Context) (string, error) {
	answer, err := is.Fetch.Get(ctx, strings.TrimSuffix(is.URL, "/")+oauth.OpenidMetadataPath)
	if err != nil {
		return "", err
	}
	var m struct {
		Issuer string `json:"issuer"`
		Keys   string `json:"jwks_uri"`
	}
	if err := json.Unmarshal(answer.Body, &m); err != nil {
		return "", fmt.Errorf("reading its metadata: %w", err)
	}
	if m.Issuer != is.URL {
		return "", fmt.Errorf("its metadata is that of another issuer, %q", m.Issuer)
	}
	if m.Keys == "" {
		return "", fmt.Errorf("its metadata names no keys")
	}
	return m.Keys, nil
}
