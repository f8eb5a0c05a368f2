package signin

import (
	_ "embed"
	"errors"
	"strings"
)

// ErrCommonPassword refuses a password that is guessed first (NIST SP 800-63B section 3.1.1.2).
var ErrCommonPassword = errors.New(
	"oauth: this password is one of the most common ones, or the username: choose another",
)

//go:embed common_passwords.txt
var commonPasswords string

// isCommon tells whether a password is one of the most common ones, or the name of its account.
func isCommon(name, password string) bool {
	password = strings.ToLower(strings.TrimSpace(password))
	return password == strings.ToLower(name) ||
		strings.Contains(commonPasswords, "\n"+password+"\n")
}
