// Package secret makes, hashes and compares random secrets. It does not know what they open.
package secret

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"strings"
)

// Prefixes of issued secrets, so that people and secret scanners recognize a leak.
const (
	RefreshPrefix = "rialto_rt_"
	CodePrefix    = "rialto_code_"
	SecretPrefix  = "rialto_secret_"
	ClientPrefix  = "rialto_client_"
	ManagePrefix  = "rialto_reg_"
	LinkPrefix    = "rialto_link_"
)

// New returns 256 random bits as text behind a prefix.
func New(prefix string) string {
	b := make([]byte, 32)
	rand.Read(b) // never fails (crypto/rand, since Go 1.24)
	return prefix + base64.RawURLEncoding.EncodeToString(b)
}

// Hash is what the store knows of a secret. A plain SHA-256 is enough for 256
// random bits; a slow hash would only cost processor time.
func Hash(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// Is tells whether s has the form of a result of New(prefix), so that nothing else is looked up.
func Is(s, prefix string) bool {
	rest, ok := strings.CutPrefix(s, prefix)
	return ok && len(rest) == 43 && IsBase64URL(rest)
}

// Base64URL holds the letters of base64url.
const Base64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// IsBase64URL tells whether s holds only the letters of base64url.
func IsBase64URL(s string) bool { return strings.Trim(s, Base64URL) == "" }

// MAC returns the HMAC-SHA-256 of a text, in base64url.
func MAC(key []byte, text string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Same compares in constant time.
func Same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// NewID returns the name of a row: random, so that it cannot be guessed, but no secret. It has only
// letters and digits: a command takes what begins with a dash for a flag.
func NewID() string { return rand.Text() }
