package oauth

import (
	"time"
)

// Request is an authorization request that waits for a person.
type Request struct {
	Handle       string // hash of the handle in the form
	Browser      string // hash of the cookie that must come with it; "" for one that was pushed
	ClientID     string
	RedirectURI  string
	RedirectSent bool // the client named RedirectURI itself
	State        string
	Scope        ScopeSet
	Resource     string
	Challenge    string // PKCE, S256
	JKT          string // thumbprint of the key that the code is bound to (RFC 9449 section 10); "" is none
	// SignedInAfter is when the person must have signed in later: a client may ask for a fresh
	// sign-in. Zero is any time.
	SignedInAfter time.Time
	Expires       time.Time
}

// Grant is what a person has allowed a client.
type Grant struct {
	ID        string
	AccountID string
	Name      string   // of the account; read only
	Disabled  bool     // the account is; read only
	Admin     bool     // the account is; read only
	UseCases  ScopeSet // to which the account is limited, nil if it is not; read only
	ClientID  string
	// ClientName is what the client was called when the person allowed it: the client may take
	// another name later. "" if no person was asked.
	ClientName string
	Parent     string // ID of the grant whose token was exchanged for this one's; "" is none
	Scope      ScopeSet
	Resource   string
	AuthTime   time.Time // when the person signed in
	Created    time.Time
	Expires    time.Time
	Used       time.Time // last, to the minute; zero if never; read only
	Revoked    time.Time // zero if neither it nor its Parent is
}

// Live tells whether the grant may be used at now.
func (g *Grant) Live(now time.Time) bool {
	return !g.Disabled && g.Revoked.IsZero() && now.Before(g.Expires)
}

// Allows returns the part of a scope that the account may still grant: a scope
// ends with the role or the use case that it needs.
func (g *Grant) Allows(scope ScopeSet) ScopeSet {
	return Allowed(scope, g.Admin).Within(g.UseCases)
}

// Code is an authorization code.
type Code struct {
	Hash        string
	ClientID    string
	RedirectURI string // "" if the client left it out
	Challenge   string
	JKT         string // of the key that must be proved to redeem it; "" is none
	Expires     time.Time
	Grant       *Grant // set by TakeCode
}

// Refresh is a refresh token.
type Refresh struct {
	Hash     string
	ClientID string
	JKT      string // of the key that must be proved to use it; "" is none
	Expires  time.Time
	Used     time.Time // for the first time; zero if it was not; read only
}

// Rotation is a use of a refresh token.
type Rotation struct {
	Hash     string
	ClientID string
	Next     Refresh // the successor to be
	Sealed   string  // its plain text, readable by who holds the token
	Now      time.Time
	Grace    time.Duration // 0 allows no second use
	MaxUses  int
}

// SealedKey is a signing key at rest.
type SealedKey struct {
	Seq     int64 // 1 is the first key
	KeyID   string
	Private string // encrypted
	Active  time.Time
	Expires time.Time // when no token that it signed is alive any more

	SignedUntil time.Time // when the last token that it signed expires, or a little later
}
