// Package sealed encrypts what is kept in the database or handed out, so that it
// opens only with the key, and only in the place for which it was made.
package sealed

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"fmt"
)

// ErrNotSealed is returned for what was not sealed with the key for the place.
var ErrNotSealed = errors.New("not sealed with this secret, or for another place")

// Seal encrypts plain under a key of 32 bytes with AES-256-GCM and a random nonce
// (NIST SP 800-38D), and returns it in base64url. The place says where the result
// belongs, as in "table|column|row", or what it is for: it opens nowhere else, so
// that somebody who can write to the database cannot swap rows. The error is that
// of a key of another length.
func Seal(key []byte, place string, plain []byte) (string, error) {
	aead, err := cipherOf(key)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(aead.Seal(nil, nil, plain, []byte(place))), nil
}

// Open returns what Seal was given, or an error that is ErrNotSealed.
func Open(key []byte, place, text string) ([]byte, error) {
	aead, err := cipherOf(key)
	if err != nil {
		return nil, err
	}
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotSealed, err)
	}
	plain, err := aead.Open(nil, nil, b, []byte(place))
	if err != nil {
		return nil, ErrNotSealed
	}
	return plain, nil
}

func cipherOf(key []byte) (cipher.AEAD, error) {
	if len(key) != 32 {
		return nil, fmt.Errorf("the key has %d bytes, want 32", len(key))
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}
