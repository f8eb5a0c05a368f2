package signin

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/secure/precis"

	"rialto/oauth"
	"rialto/oauth/internal/secret"
)

// The cost of a password: argon2id with 19 MiB, two passes, one lane, which is
// the OWASP recommendation and takes about 30 ms.
const (
	argonMemory = 19 << 10 // KiB
	argonTime   = 2
	argonLanes  = 1
	argonLength = 32
)

const maxPassword = 1024 // bytes

// normalPassword brings a password into one form, whatever the keyboard sent
// (RFC 8265 section 4.2).
func normalPassword(password string) (string, error) {
	if len(password) > maxPassword {
		return "", ErrBadPassword
	}
	password, err := precis.OpaqueString.String(password)
	if err != nil {
		return "", ErrBadPassword
	}
	return password, nil
}

// deriveKey derives a key from a password. Each run takes 19 MiB: its caller has a turn.
func deriveKey(password string, salt []byte) []byte {
	return argon2.IDKey([]byte(password), salt, argonTime, argonMemory, argonLanes, argonLength)
}

// phc renders salt and key in the PHC string format.
func phc(salt, key []byte) string {
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf(
		"$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version,
		argonMemory,
		argonTime,
		argonLanes,
		b64(salt),
		b64(key),
	)
}

// checkPassword tells whether the password is the account's. Without an
// account it works just as long, so that names cannot be found out by timing.
func checkPassword(a *oauth.Account, password string) (bool, error) {
	password, err := normalPassword(password)
	if err != nil {
		a = nil
	}

	stored := phc(make([]byte, 16), make([]byte, argonLength))
	if a != nil && a.Password != "" {
		stored = a.Password
	}

	parts := strings.Split(stored, "$")
	if len(parts) != 6 {
		return false, errors.New("password is stored in an unknown format")
	}

	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false, fmt.Errorf("reading salt: %w", err)
	}

	return secret.Same(phc(salt, deriveKey(password, salt)), stored) && a != nil &&
		a.Password != "" &&
		!a.Disabled, nil
}
