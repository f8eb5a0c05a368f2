package a2apush

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"rialto/internal/safehttp"
)

// skew is the accepted clock skew of an agent.
const skew = time.Minute

// algorithms are the accepted signature algorithms. None is symmetric: the keys are public.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256,
	jose.PS256,
	jose.ES256,
	jose.ES384,
	jose.EdDSA,
}

// CheckJWT says what is wrong with a JWT that came with a notification to the
// webhook at address, whose body has this hash. It must be signed by one of keys
// and be younger than five minutes. What it says of its expiry, its audience and
// the body must be true; the sample agent of 0.1 says the last alone.
func CheckJWT(
	token string,
	keys *jose.JSONWebKeySet,
	address string,
	body [sha256.Size]byte,
	now time.Time,
) error {
	parsed, err := jwt.ParseSigned(token, algorithms)
	if err != nil {
		return fmt.Errorf("reading the JWT: %w", err)
	}

	var in struct {
		jwt.Claims
		Body string `json:"request_body_sha256"`
	}
	if err := parsed.Claims(keys, &in); err != nil {
		return fmt.Errorf("checking the signature: %w", err)
	}

	switch {
	case in.IssuedAt == nil:
		return errors.New("the JWT has no issue time (iat)")
	case now.Sub(in.IssuedAt.Time()) > jwtLife+skew:
		return errors.New("the JWT is too old")
	case len(in.Audience) > 0 && !in.Audience.Contains(address):
		return errors.New("the JWT is for another webhook")
	case in.Body != "" && in.Body != hex.EncodeToString(body[:]):
		return errors.New("the JWT is for another body")
	}

	return in.ValidateWithLeeway(jwt.Expected{Time: now}, skew)
}

// Keys are the public keys with which an agent signs: those that it shows at
// /.well-known/jwks.json of its origin, fetched when they are needed.
type Keys struct {
	Agent string // the URL of the agent, which the operator has given
	Now   func() time.Time

	mu    sync.Mutex
	set   *jose.JSONWebKeySet
	err   error
	asked time.Time
}

// keysFresh is how long keys are cached, and how long a failed fetch is not repeated.
const keysFresh = 5 * time.Minute

// Set returns the keys.
func (k *Keys) Set(ctx context.Context) (*jose.JSONWebKeySet, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if age := k.Now().Sub(k.asked); !k.asked.IsZero() && age < keysFresh {
		return k.set, k.err
	}

	k.set, k.err = fetchKeys(ctx, k.Agent)
	if ctx.Err() == nil {
		k.asked = k.Now()
	}

	return k.set, k.err
}

func fetchKeys(ctx context.Context, agent string) (*jose.JSONWebKeySet, error) {
	u, err := url.Parse(agent)
	if err != nil {
		return nil, err
	}

	u = &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/.well-known/jwks.json"}
	doc, err := (&safehttp.Client{Allowed: func() []string { return []string{u.Host} }}).Get(
		ctx, u.String(),
	)
	if err != nil {
		return nil, fmt.Errorf("fetching the agent's keys: %w", err)
	}

	var set jose.JSONWebKeySet
	if err := json.Unmarshal(doc.Body, &set); err != nil {
		return nil, fmt.Errorf("reading the agent's keys: %w", err)
	}

	return &set, nil
}
