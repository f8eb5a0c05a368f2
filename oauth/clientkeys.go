package oauth

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxClientKeys    = 20
	clientKeysFresh  = 5 * time.Minute
	clientKeysReload = 30 * time.Second // how often an unknown key ID may make us look again
	clientKeysStale  = time.Hour        // how long keys are good that cannot be fetched again
)

// fetchedKeys are keys of a client as they were at a moment.
type fetchedKeys struct {
	keys []jose.JSONWebKey
	at   time.Time
}

// clientKeys returns the keys of a client that may have signed with an
// algorithm under a key ID, which may be "".
func (s *Server) clientKeys(ctx context.Context, c *Client, keyID, alg string) ([]jose.JSONWebKey, error) {
	if c.KeysURI == "" {
		keys, err := parseKeys([]byte(c.Keys), maxClientKeys)
		if err != nil {
			return nil, badAssertion("The client has no keys.")
		}
		return usable(keys, keyID, alg), nil
	}
	for _, fresh := range []time.Duration{clientKeysFresh, clientKeysReload} {
		keys, err := s.keysAt(ctx, c.KeysURI, fresh)
		if err != nil {
			return nil, err
		}
		if found := usable(keys, keyID, alg); len(found) > 0 {
			return found, nil
		}
	}
	return nil, nil
}

// keysAt returns the keys at an address, fetched if what we have is older than
// fresh. When they cannot be fetched, what we have is good for an hour.
func (s *Server) keysAt(ctx context.Context, uri string, fresh time.Duration) ([]jose.JSONWebKey, error) {
	known, ok := s.keysOfClients.get(uri)
	age := s.Now().Sub(known.at)
	if ok && age >= 0 && age < fresh {
		return known.keys, nil
	}
	fetched, err, _ := s.fetches.Do("keys "+uri, func() (any, error) {
		return s.fetchKeys(context.WithoutCancel(ctx), uri)
	})
	if err == nil {
		return fetched.([]jose.JSONWebKey), nil
	}
	s.Log.WarnContext(ctx, "oauth: keys of a client not fetched", "uri", uri, "error", err)
	if ok && age < clientKeysStale {
		return known.keys, nil
	}
	return nil, &Error{Code: "temporarily_unavailable", Description: "The keys of the client could not be fetched.", after: time.Minute}
}

func (s *Server) fetchKeys(ctx context.Context, uri string) ([]jose.JSONWebKey, error) {
	body, _, err := s.fetch(ctx, uri)
	if err != nil {
		return nil, err
	}
	keys, err := parseKeys(body, maxClientKeys)
	if err != nil {
		return nil, err
	}
	s.keysOfClients.put(uri, fetchedKeys{keys, s.Now()})
	return keys, nil
}

// parseKeys reads a JWK set and keeps what can be used: public keys for
// signatures that are strong enough. A key that we cannot read is of a kind
// that we do not use; one with private parts spoils the whole set.
func parseKeys(body []byte, most int) ([]jose.JSONWebKey, error) {
	var set struct {
		Keys []jsontext.Value `json:"keys"`
	}
	if err := json.Unmarshal(body, &set); err != nil || len(set.Keys) > most {
		return nil, refuse("invalid_client_metadata", "jwks is not a set of up to %d keys.", most)
	}
	var keys []jose.JSONWebKey
	for _, raw := range set.Keys {
		var members map[string]any
		if err := json.Unmarshal(raw, &members); err != nil {
			return nil, refuse("invalid_client_metadata", "jwks holds something that is no key.")
		}
		if members["d"] != nil || members["k"] != nil {
			return nil, refuse("invalid_client_metadata", "jwks holds a private key.")
		}
		var key jose.JSONWebKey
		if key.UnmarshalJSON(raw) == nil && key.Valid() && (key.Use == "" || key.Use == "sig") && len(algsOf(key)) > 0 {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// algsOf returns the algorithms that a key is strong enough and made for. A
// key signs with one of its own: RSA under 2,048 bits with none.
func algsOf(key jose.JSONWebKey) []string {
	switch k := key.Key.(type) {
	case *ecdsa.PublicKey:
		return map[string][]string{"P-256": {"ES256"}, "P-384": {"ES384"}}[k.Params().Name]
	case *rsa.PublicKey:
		if k.N.BitLen() >= 2048 {
			return []string{"RS256", "PS256"}
		}
	case ed25519.PublicKey:
		return []string{"EdDSA"}
	}
	return nil
}

// usable returns those of the keys that fit a key ID and an algorithm.
func usable(keys []jose.JSONWebKey, keyID, alg string) []jose.JSONWebKey {
	var found []jose.JSONWebKey
	for _, key := range keys {
		named := keyID == "" || key.KeyID == keyID
		if named && slices.Contains(algsOf(key), alg) && (key.Algorithm == "" || key.Algorithm == alg) {
			found = append(found, key)
		}
	}
	return found
}
