package oauth

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strings"
)

// Prefixes of what we hand out, so that people and secret scanners can tell
// what has leaked.
const (
	refreshPrefix = "rialto_rt_"
	codePrefix    = "rialto_code_"
	secretPrefix  = "rialto_secret_"
	clientPrefix  = "rialto_client_"
	managePrefix  = "rialto_reg_"
)

// secret returns 256 random bits as text behind a prefix.
func secret(prefix string) string {
	b := make([]byte, 32)
	rand.Read(b) // never fails (crypto/rand, since Go 1.24)
	return prefix + base64.RawURLEncoding.EncodeToString(b)
}

// hash is what the store knows of a secret. A plain SHA-256 is enough for 256
// random bits; a slow hash would only let strangers burn our processor.
func hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// isSecret tells whether s has the form of what secret(prefix) returns, so
// that nothing else is looked up.
func isSecret(s, prefix string) bool {
	rest, ok := strings.CutPrefix(s, prefix)
	return ok && len(rest) == 43 && isBase64URL(rest)
}

// isBase64URL tells whether s holds only the letters of base64url.
func isBase64URL(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return true
}

// same compares in constant time.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// newID returns the name of a row: random, so that it cannot be guessed, but
// no secret.
func newID() string {
	b := make([]byte, 16)
	rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}

// tokenKey derives the key that seals a successor from its parent's plain
// text, which the store never sees: a copy of the database opens nothing.
func tokenKey(token string) ([]byte, error) {
	return hkdf.Key(sha256.New, []byte(token), nil, "rialto refresh successor", 32)
}
