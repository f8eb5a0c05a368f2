package token

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"

	"rialto/internal/safehttp"
	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/jwt"
)

// Issuers checks what other issuers signed.
type Issuers struct {
	Keys *jwt.KeySets // by issuer
	Env  *endpoint.Env
}

// Issuer is an authorization server elsewhere whose tokens are accepted. URL
// and Fetch are required, and Audiences for access tokens.
type Issuer struct {
	URL        string   // what its tokens name as iss, byte for byte
	KeysURL    string   // of its JWK set; "" finds it in the issuer's metadata
	Audiences  []string // of access tokens that are meant for us
	Algorithms []string // with which it signs; nil is every one that is sound
	Fetch      *safehttp.Client
}

const maxIssuerKeys = 50

// ErrUnreachable says that an identity provider does not answer as it should. It may do so later.
type ErrUnreachable struct{ Err error }

func (e *ErrUnreachable) Error() string { return "identity provider: " + e.Err.Error() }

func (e *ErrUnreachable) Unwrap() error { return e.Err }

// Problem says it to a person.
func (e *ErrUnreachable) Problem() *oauth.Problem {
	return &oauth.Problem{
		Code:       "provider_unreachable",
		Status:     503,
		Title:      "The identity provider doesn't answer",
		Detail:     "It is needed to find out who you are, and can't be reached now.",
		Remedy:     "Try again in a minute. If it happens again, tell the people who run this server.",
		RetryAfter: time.Minute,
	}
}

// SigningAlgorithms returns those that the issuer may sign with. None is symmetric.
func (is *Issuer) SigningAlgorithms() []string {
	if is.Algorithms == nil {
		return jwt.Algorithms()
	}
	return is.Algorithms
}

// Check says what is wrong with the configuration.
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
			return fmt.Errorf(
				"the algorithm %q is not one of %s", alg, strings.Join(jwt.Algorithms(), ", "),
			)
		}
	}

	return nil
}

// keys fetches the issuer's keys.
func (is *Issuer) keys(ctx context.Context) ([]jose.JSONWebKey, error) {
	at := is.KeysURL
	if at == "" {
		discovered, err := is.discoverKeys(ctx)
		if err != nil {
			return nil, err
		}
		at = discovered
	}

	answer, err := is.Fetch.Get(ctx, at)
	if err != nil {
		return nil, err
	}

	return jwt.ParseKeys(answer.Body, maxIssuerKeys)
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
