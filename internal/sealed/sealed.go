// Package sealed encrypts values that are stored in the database or given to clients.
// A value can be opened only with its key and only for the place it was sealed for. It
// does not know where keys come from.
package sealed

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
)

// ErrNotSealed says that a value was not sealed with this key for this place.
var ErrNotSealed = errors.New("not sealed with this secret, or for another place")

// Seal encrypts plain under a key of 32 bytes with AES-256-GCM and a random nonce (NIST SP
// 800-38D), and returns it in base64url. The place says where the result belongs, as in
// "table|column|row", or what it is for. It cannot be opened for another place, so that rows of the
// database cannot be swapped. A key of another length is an error.
func Seal(key []byte, place string, plain []byte) (string, error) {
	aead, err := cipherOf(key)
	if err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(aead.Seal(nil, nil, plain, []byte(place))), nil
}

// Open decrypts what Seal returned. It fails with ErrNotSealed.
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

// SealJSON seals the JSON of v: see Seal.
func SealJSON(key []byte, place string, v any) (string, error) {
	plain, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	return Seal(key, place, plain)
}

// OpenJSON reads into v what SealJSON returned: see Open.
func OpenJSON(key []byte, place, text string, v any) error {
	plain, err := Open(key, place, text)
	if err != nil {
		return err
	}
	return json.Unmarshal(plain, v)
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
