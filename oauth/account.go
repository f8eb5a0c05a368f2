package oauth

import (
	"errors"
	"strings"
	"time"

	"golang.org/x/text/secure/precis"
)

// ErrBadName says why a name was refused.
var ErrBadName = errors.New(
	"oauth: not a user name: it may hold letters, digits and punctuation, up to 64 bytes",
)

// MaxSubject bounds what a provider may call a person (OpenID Connect Core 1.0 section 2).
const MaxSubject = 255

// UserName brings a name into the form in which it is stored: lower case,
// normal width, composed (RFC 8265 section 3.3).
func UserName(name string) (string, error) {
	name, err := precis.UsernameCaseMapped.String(strings.TrimSpace(name))
	if err != nil || name == "" || len(name) > 64 {
		return "", ErrBadName
	}
	return name, nil
}

// Account is a person's account.
type Account struct {
	ID       string // never changes; the sub of tokens
	Name     string // what the person types
	Password string // argon2id, in the PHC string format; "" for one that signs in elsewhere, or is invited
	Disabled bool
	Admin    bool // may grant ScopeAdmin
	Created  time.Time

	Issuer   string   // of the provider that identifies the person; "" for a local account
	Subject  string   // what the provider calls the person
	UseCases ScopeSet // to which the provider limits the person; nil is no limit
}

// Invited tells whether the person of a local account has not chosen yet how to sign in.
func (a *Account) Invited() bool { return a.Issuer == "" && a.Password == "" }

// Login is a browser that signs in at an identity provider.
type Login struct {
	State    string   // hash of the state that goes to the provider
	Browser  string   // hash of the cookie that must come back with it
	Provider string   // ID of the provider
	Handle   string   // hash of the handle of the approved request; "" for a page of ours
	Scope    ScopeSet // what was allowed
	Next     string   // the page to go to, without a Handle
	Expires  time.Time
}

// Session is a signed-in browser.
type Session struct {
	Hash      string
	AccountID string
	Name      string   // of the account; read only
	UseCases  ScopeSet // of the account; read only
	Admin     bool     // the account is; read only
	Issuer    string   // of the account; read only
	Created   time.Time
	Expires   time.Time

	Network   string    // from which the browser came, roughly; "" is not known
	UserAgent string    // of the browser
	Seen      time.Time // when it was used last, to some minutes
	Proved    time.Time // when the person last proved who they are

	// GrantsUntil is when a grant ends at the latest that is given in the
	// session; zero is no limit.
	GrantsUntil time.Time

	TokenUseCases []string // use cases of a pasted token, which limit, too; nil does not
}

// Passkey is a credential of an account at an authenticator (Web Authentication Level 3).
type Passkey struct {
	ID         string // the credential ID, in base64url
	AccountID  string
	Name       string // that the person gave it
	Credential string // its public key and flags, as JSON
	Count      int64  // the signature counter of its last use
	Created    time.Time
	Used       time.Time // zero: never
}
