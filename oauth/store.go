package oauth

import (
	"context"
	"errors"
	"time"
)

// Sentinels that a Store returns. Every other error means that the store
// could not be asked.
var (
	// ErrNotFound says that there is no such thing, or none any more, or none
	// that belongs to the caller.
	ErrNotFound = errors.New("oauth: not found")
	// ErrExists says that the name is taken.
	ErrExists = errors.New("oauth: exists already")
	// ErrReused says that something that works once was presented again, and
	// that the grant behind it is revoked now.
	ErrReused = errors.New("oauth: used before")
)

// Store keeps the state of the server. Its methods are steps of the protocol.
// All of them may be called concurrently, from several processes that share
// one database; each is atomic, and what it reports as done is durable.
//
// Values that would let their bearer in (codes, refresh tokens, cookies,
// handles, client secrets) never reach a Store: it is given their hashes.
type Store interface {
	ClientStore
	DocumentStore
	OnceStore
	AccountStore
	SetupStore
	LoginStore
	RequestStore
	GrantStore
	KeyStore

	// DropExpired forgets what no rule needs any more. It leaves a client
	// alone that has a grant, and a used code as long as its grant is there.
	DropExpired(ctx context.Context, x Expiry) error
}

// Expiry says what DropExpired may forget.
type Expiry struct {
	Now     time.Time     // sessions, requests, documents, uses, refresh tokens and keys that expired before
	Grants  time.Time     // grants that ended before
	Clients time.Time     // clients without any grant that registered before
	Grace   time.Duration // sealed successors of tokens used longer ago than this
}

// ClientStore keeps registered clients.
type ClientStore interface {
	// AddClient records a client. When the store holds limit clients or more,
	// the oldest of those that never got a grant makes room.
	AddClient(ctx context.Context, c *Client, limit int) error
	// Client returns a client, or ErrNotFound.
	Client(ctx context.Context, id string) (*Client, error)
	// Clients returns up to limit clients whose ID is greater than after, in
	// the order of their IDs.
	Clients(ctx context.Context, after string, limit int) ([]*Client, error)
	// UpdateClient replaces what a client registered, if manageHash is still
	// the one it was recorded with: of many calls with one manageHash, exactly
	// one succeeds if each brings another. The others get ErrNotFound.
	UpdateClient(ctx context.Context, c *Client, manageHash string) error
	// RemoveClient forgets a client and revokes every grant that it has, or
	// returns ErrNotFound.
	RemoveClient(ctx context.Context, id string, now time.Time) error
}

// OnceStore remembers what works once and was made by others.
type OnceStore interface {
	// UseOnce records the use of something that is worth nothing after
	// expires. Of any number of calls with one hash, exactly one succeeds; the
	// others get ErrReused.
	UseOnce(ctx context.Context, hash string, expires time.Time) error
}

// DocumentStore keeps the documents of clients whose ID is a URL.
type DocumentStore interface {
	// Document returns the document of a client, fresh or not, or ErrNotFound.
	Document(ctx context.Context, id string) (*Document, error)
	// KeepDocument records a document, in the place of an older one. When the
	// store holds limit others or more, the oldest of clients without a grant
	// make room.
	KeepDocument(ctx context.Context, d *Document, limit int) error
	// DropDocument forgets a document, or returns ErrNotFound.
	DropDocument(ctx context.Context, id string) error
}

// AccountStore keeps the people who may sign in, and their browser sessions.
type AccountStore interface {
	// AddAccount records an account, or returns ErrExists if there is one of
	// that name.
	AddAccount(ctx context.Context, a *Account) error
	// Identify returns the account of a's Issuer and Subject. If there is none
	// it records a; of any number of calls with one identity, all return the
	// same account. If rights is set, the account gets Admin and UseCases of a.
	// It returns ErrExists if there is none and a's name is taken.
	Identify(ctx context.Context, a *Account, rights bool) (*Account, error)
	// SetAdmin gives an account the role of an administrator or takes it away,
	// or returns ErrNotFound.
	SetAdmin(ctx context.Context, id string, admin bool) error
	// SetDisabled disables an account or enables it again, or returns
	// ErrNotFound.
	SetDisabled(ctx context.Context, id string, disabled bool) error
	// SetPassword gives an account a new password and ends its sessions.
	SetPassword(ctx context.Context, id, password string) error
	// RemoveAccount forgets the account of that name, with its sessions and
	// its grants, or returns ErrNotFound.
	RemoveAccount(ctx context.Context, name string) error
	// Accounts returns the names of all accounts, in order.
	Accounts(ctx context.Context) ([]string, error)
	// Account returns the account of that name, or ErrNotFound.
	Account(ctx context.Context, name string) (*Account, error)
	// AccountOf returns the account with that ID, or ErrNotFound.
	AccountOf(ctx context.Context, id string) (*Account, error)
	// AddSession records a browser session.
	AddSession(ctx context.Context, s *Session) error
	// Session returns a session that has not expired at now, or ErrNotFound.
	// A session of a disabled account is not found.
	Session(ctx context.Context, hash string, now time.Time) (*Session, error)
	// EndSession forgets a session. It is no error if there is none.
	EndSession(ctx context.Context, hash string) error
}

// SetupStore keeps the code with which the first local account may be made.
type SetupStore interface {
	// OpenSetup records the hash of a code, in the place of an older one, and
	// returns ErrExists if there is a local account already.
	OpenSetup(ctx context.Context, hash string, expires time.Time) error
	// SetupOpen tells whether a code can be used at now.
	SetupOpen(ctx context.Context, now time.Time) (bool, error)
	// AddFirstAccount uses up the code and records an account. Of any number of
	// calls, exactly one succeeds, if there is no local account and the code has
	// not expired at now; the others get ErrNotFound and change nothing.
	AddFirstAccount(ctx context.Context, hash string, a *Account, now time.Time) error
}

// LoginStore keeps browsers that are at an identity provider.
type LoginStore interface {
	// AddLogin records a login.
	AddLogin(ctx context.Context, l *Login) error
	// Login returns a login that has not expired at now, or ErrNotFound.
	Login(ctx context.Context, state string, now time.Time) (*Login, error)
	// TakeLogin forgets a login. Of any number of calls with one state, exactly
	// one succeeds; the others get ErrNotFound.
	TakeLogin(ctx context.Context, state string) error
}

// RequestStore keeps authorization requests while a person decides.
type RequestStore interface {
	// AddRequest records a request.
	AddRequest(ctx context.Context, r *Request) error
	// Request returns a request that has not expired at now, or ErrNotFound.
	Request(ctx context.Context, handle string, now time.Time) (*Request, error)
	// TakePushed returns a request that was recorded without a Browser, and
	// forgets it. Of any number of calls with one handle, exactly one
	// succeeds, if it names the request's client and the request has not
	// expired at now; the others get ErrNotFound.
	TakePushed(ctx context.Context, handle, clientID string, now time.Time) (*Request, error)
	// Approve answers a request: it forgets the request and records the grant
	// and its code. Of any number of Approve and Deny calls with one handle,
	// exactly one succeeds; the others get ErrNotFound and change nothing.
	Approve(ctx context.Context, handle string, g *Grant, c *Code) error
	// Deny forgets a request, under the same rule.
	Deny(ctx context.Context, handle string) error
}

// GrantStore keeps what people have allowed, and the codes and refresh tokens
// that stand for it. A grant that is revoked never comes back to life.
type GrantStore interface {
	// AddGrant records a grant that needs no code.
	AddGrant(ctx context.Context, g *Grant) error
	// Grant returns a grant, live or not, or ErrNotFound.
	Grant(ctx context.Context, id string) (*Grant, error)
	// RevokeGrant ends a grant and everything issued under it. It is no error
	// if there is none.
	RevokeGrant(ctx context.Context, id string, now time.Time) error
	// RevokeGrants ends at most limit live grants of an account, of a client, or
	// those that the one has given the other, and returns how many; "" is any,
	// and one of them is not.
	RevokeGrants(ctx context.Context, accountID, clientID string, now time.Time, limit int) (int, error)
	// NoteUses records when grants were used, by their IDs. A later use stays.
	NoteUses(ctx context.Context, last map[string]time.Time) error

	// TakeCode uses up a code and, unless first is nil, records the first
	// refresh token of the code's grant in the same step. Of any number of
	// calls with one hash, exactly one succeeds, whatever became of the grant
	// meanwhile; expiry is for the caller to check. A second call by the same
	// client revokes the grant and returns ErrReused (RFC 6749 section
	// 4.1.2). A call by another client returns ErrNotFound and changes
	// nothing.
	TakeCode(ctx context.Context, hash, clientID string, first *Refresh, now time.Time) (*Code, error)
	// Refresh returns a refresh token, used or not, and its grant, live or
	// not, or ErrNotFound.
	Refresh(ctx context.Context, hash string) (*Refresh, *Grant, error)
	// Rotate uses a refresh token and returns its sealed successor. The first
	// use stores r.Next and r.Sealed. A later one within r.Grace of the first,
	// up to r.MaxUses in all, returns what the first stored: nothing
	// branches. Any other revokes the grant and returns ErrReused. A token
	// that is unknown, expired, another client's, or of a grant that is not
	// live returns ErrNotFound and nothing changes.
	Rotate(ctx context.Context, r Rotation) (sealed string, err error)
}

// KeyStore keeps signing keys, encrypted by their owner.
type KeyStore interface {
	// Keys returns the keys that have not expired at now, oldest first.
	Keys(ctx context.Context, now time.Time) ([]SealedKey, error)
	// AddKey records a key unless there is one of the same Seq: of replicas
	// that rotate at once, one wins and the others learn nothing.
	AddKey(ctx context.Context, k SealedKey) error
}

// Account is a person who may sign in.
type Account struct {
	ID       string // never changes; the sub of tokens
	Name     string // what the person types
	Password string // argon2id, in the PHC string format; "" for one that signs in elsewhere
	Disabled bool
	Admin    bool // may grant ScopeAdmin
	Created  time.Time

	Issuer   string   // of the provider that vouches for the person; "" for a local account
	Subject  string   // what the provider calls the person
	UseCases ScopeSet // to which the provider limits the person; nil is no limit
}

// Login is a browser that is at an identity provider, to come back signed in.
type Login struct {
	State    string   // hash of the state that goes to the provider
	Browser  string   // hash of the cookie that must come back with it
	Provider string   // ID of the provider
	Handle   string   // hash of that of the request that was allowed; "" for a page of ours
	Scope    ScopeSet // what was allowed
	Next     string   // the page to go to, without a Handle
	Expires  time.Time
}

// Session is a browser in which somebody is signed in.
type Session struct {
	Hash      string
	AccountID string
	Name      string   // of the account; read only
	UseCases  ScopeSet // of the account; read only
	Admin     bool     // the account is; read only
	Created   time.Time
	Expires   time.Time

	// GrantsUntil is when a grant ends at the latest that is given in the
	// session; zero is no limit.
	GrantsUntil time.Time

	vouched []string // use cases of a pasted token, which limit, too; nil does not
}

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
	Login        bool   // the client wants the person to sign in again
	Expires      time.Time
}

// Grant is what a person allowed a client.
type Grant struct {
	ID        string
	AccountID string
	Name      string   // of the account; read only
	Disabled  bool     // the account is; read only
	Admin     bool     // the account is; read only
	UseCases  ScopeSet // to which the account is limited, nil if it is not; read only
	ClientID  string
	Parent    string // ID of the grant whose token was exchanged for this one's; "" is none
	Scope     ScopeSet
	Resource  string
	AuthTime  time.Time // when the person signed in
	Created   time.Time
	Expires   time.Time
	Used      time.Time // last, to the minute; zero if never; read only
	Revoked   time.Time // zero if neither it nor its Parent is
}

// Live tells whether the grant may be used at now.
func (g *Grant) Live(now time.Time) bool {
	return !g.Disabled && g.Revoked.IsZero() && now.Before(g.Expires)
}

// allows returns the part of a scope that the account may still grant. What was
// granted ends with the role or the use case that it took.
func (g *Grant) allows(scope ScopeSet) ScopeSet { return allowed(scope, g.Admin).within(g.UseCases) }

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
}
