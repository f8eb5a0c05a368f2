package jwt

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"slices"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"rialto/oauth"
)

// ParseKeys reads a JWK set and keeps what can be used: public keys for
// signatures that are strong enough. A key that we cannot read is of a kind
// that we do not use; one with private parts spoils the whole set.
func ParseKeys(body []byte, most int) ([]jose.JSONWebKey, error) {
	var set struct {
		Keys []jsontext.Value `json:"keys"`
	}
	if err := json.Unmarshal(body, &set); err != nil || len(set.Keys) > most {
		return nil, oauth.Refuse("invalid_client_metadata", "jwks is not a set of up to %d keys.", most)
	}

	var keys []jose.JSONWebKey
	for _, raw := range set.Keys {
		var members map[string]any
		if err := json.Unmarshal(raw, &members); err != nil {
			return nil, oauth.Refuse("invalid_client_metadata", "jwks holds something that is no key.")
		}
		if members["d"] != nil || members["k"] != nil {
			return nil, oauth.Refuse("invalid_client_metadata", "jwks holds a private key.")
		}
		var key jose.JSONWebKey
		if key.UnmarshalJSON(raw) == nil && key.Valid() && (key.Use == "" || key.Use == "sig") &&
			len(algsOf(key)) > 0 {
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

// Usable returns those of the keys that fit a key ID and an algorithm.
func Usable(keys []jose.JSONWebKey, keyID, alg string) []jose.JSONWebKey {
	var found []jose.JSONWebKey
	for _, key := range keys {
		named := keyID == "" || key.KeyID == keyID
		if named && slices.Contains(algsOf(key), alg) &&
			(key.Algorithm == "" || key.Algorithm == alg) {
			found = append(found, key)
		}
	}
	return found
}
