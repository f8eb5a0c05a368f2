// Package signin finds out which person uses a browser: local accounts, sessions,
// identity providers and pasted tokens. It does not know what an app asks for.
package signin

import (
	"context"
	"time"

	"rialto/oauth"
)

// AccountStore keeps the people who may sign in.
type AccountStore interface {
	// AddAccount records an account, or returns ErrExists if the name is taken.
	AddAccount(ctx context.Context, a *oauth.Account) error
	// SetAdmin gives an account the role of an administrator or takes it away,
	// or returns ErrNotFound.
	SetAdmin(ctx context.Context, id string, admin bool) error
	// SetDisabled disables an account or enables it again, or returns ErrNotFound.
	SetDisabled(ctx context.Context, id string, disabled bool) error
	// SetPassword gives an account a new password, ends its sessions and its link, and forgets its
	// guesses; it ends its grants, too, unless revoked is zero.
	SetPassword(ctx context.Context, id, password string, revoked time.Time) error
	// EndSessions forgets all sessions of an account.
	EndSessions(ctx context.Context, id string) error
	// ForgetGuesses forgets all guesses for an account.
	ForgetGuesses(ctx context.Context, id string) error
	// RemoveAccount removes an account by name, with its sessions and its
	// grants, or returns ErrNotFound.
	RemoveAccount(ctx context.Context, name string) error
	// Account returns an account by name, or ErrNotFound.
	Account(ctx context.Context, name string) (*oauth.Account, error)
	// AccountOf returns an account by ID, or ErrNotFound.
	AccountOf(ctx context.Context, id string) (*oauth.Account, error)
}

// GuessStore counts passwords that are tried, and knows from where accounts sign in.
type GuessStore interface {
	// CountGuess counts a password that is tried, by the ID of an account or by another key for a
	// name that is unknown. Of any number of calls in a row, on all replicas, limit return true.
	// Of the others, one an hour after the last returns true; they count nothing.
	CountGuess(
		ctx context.Context,
		key string,
		unknown bool,
		limit int,
		now time.Time,
	) (bool, error)
	// SignedIn forgets all guesses for an account, because it signed in, and records from which
	// network. It keeps the latest few networks of the account.
	SignedIn(ctx context.Context, id, network string, now time.Time) error
	// KnowsNetwork tells whether an account signed in from a network, and it was kept.
	KnowsNetwork(ctx context.Context, id, network string) (bool, error)
}

// SessionStore keeps browser sessions.
type SessionStore interface {
	// AddSession records a browser session.
	AddSession(ctx context.Context, s *oauth.Session) error
	// Session returns a session that has not expired at now, or ErrNotFound.
	// A session of a disabled account is not found.
	Session(ctx context.Context, hash string, now time.Time) (*oauth.Session, error)
	// Sessions returns the sessions of an account that have not expired at now, the one that was seen
	// last first.
	Sessions(ctx context.Context, accountID string, now time.Time) ([]*oauth.Session, error)
	// SawSession records that a session was used.
	SawSession(ctx context.Context, hash string, now time.Time) error
	// ProveSession records that the person proved who they are, or returns ErrNotFound.
	ProveSession(ctx context.Context, hash string, now time.Time) error
	// EndSession forgets a session. It is no error if there is none.
	EndSession(ctx context.Context, hash string) error
	// EndSessionOf forgets a session of an account, or returns ErrNotFound.
	EndSessionOf(ctx context.Context, accountID, hash string) error
	// EndOtherSessions forgets the sessions of an account but one.
	EndOtherSessions(ctx context.Context, accountID, except string) error
}

// PasskeyStore keeps passkeys and recovery codes.
type PasskeyStore interface {
	// AddPasskey records a passkey, or returns ErrExists if an account has it.
	AddPasskey(ctx context.Context, k *oauth.Passkey) error
	// Passkeys returns the passkeys of an account, the oldest first.
	Passkeys(ctx context.Context, accountID string) ([]*oauth.Passkey, error)
	// UsePasskey records a use and its signature counter. It returns ErrNotFound if the passkey is gone,
	// or if the counter has not grown: of any number of calls with one counter above 0, one succeeds.
	UsePasskey(ctx context.Context, id string, count int64, now time.Time) error
	// RenamePasskey and RemovePasskey return ErrNotFound if the account has no such passkey.
	RenamePasskey(ctx context.Context, accountID, id, name string) error
	RemovePasskey(ctx context.Context, accountID, id string) error
	// SetRecoveryCodes records the hashes of codes, in the place of the older ones.
	SetRecoveryCodes(ctx context.Context, accountID string, hashes []string) error
	// RecoveryCodes returns how many codes are left.
	RecoveryCodes(ctx context.Context, accountID string) (int, error)
	// TakeRecoveryCode forgets a code. Of any number of calls with one hash, exactly one succeeds; the
	// others get ErrNotFound.
	TakeRecoveryCode(ctx context.Context, accountID, hash string) error
}

// LinkStore keeps the links that sign accounts in.
type LinkStore interface {
	// AddLink records the hash of a link, in the place of an older one of the account.
	AddLink(ctx context.Context, hash, accountID string, expires time.Time) error
	// LinkedAccount returns the account of a link, or ErrNotFound if the link has expired at now, or
	// the account is disabled.
	LinkedAccount(ctx context.Context, hash string, now time.Time) (*oauth.Account, error)
	// TakeLink forgets a link. Of any number of calls with one hash, exactly one succeeds; the others
	// get ErrNotFound.
	TakeLink(ctx context.Context, hash string) error
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
	AddFirstAccount(ctx context.Context, hash string, a *oauth.Account, now time.Time) error
}

// LoginStore keeps browsers that are at an identity provider.
type LoginStore interface {
	// AddLogin records a login.
	AddLogin(ctx context.Context, l *oauth.Login) error
	// Login returns a login that has not expired at now, or ErrNotFound.
	Login(ctx context.Context, state string, now time.Time) (*oauth.Login, error)
	// TakeLogin forgets a login. Of any number of calls with one state, exactly
	// one succeeds; the others get ErrNotFound.
	TakeLogin(ctx context.Context, state string) error
}
