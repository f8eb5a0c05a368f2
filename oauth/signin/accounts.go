package signin

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"unicode/utf8"

	"rialto/internal/quota"
	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/secret"
	"rialto/oauth/token"
)

// Accounts manages local accounts.
type Accounts struct {
	Store  AccountStore
	Grants *token.Grants
	Env    *endpoint.Env

	hashing      quota.Queue // of strangers: each hash takes 19 MiB
	knownHashing quota.Queue // of known browsers and operators
}

// maxTurns bounds who waits to have a password hashed; a hash takes about 50 ms.
const maxTurns = 100

// caller takes turns to have passwords hashed. Callers share the turns fairly, so that none keeps the
// others from signing in. Known ones have a queue that strangers cannot fill.
type caller struct {
	key   string
	known bool
}

// operators is the caller of an operator's commands.
var operators = caller{"operators", true}

// turn waits for a turn to hash a password; leave ends it. Strangers of one network have one at a time:
// two would take both processors of a small machine.
func (as *Accounts) turn(ctx context.Context, by caller) (leave func(), err error) {
	if by.known {
		return as.knownHashing.Acquire(ctx, by.key, quota.Room{Running: 1, Waiting: maxTurns})
	}
	return as.hashing.Acquire(ctx, by.key, quota.Room{Running: 2, PerKey: 1, Waiting: maxTurns})
}

// ErrBadPassword says why a password was refused.
var ErrBadPassword = errors.New(
	"oauth: not a password: it must have 8 characters at least, up to 1,024 bytes, and no control characters",
)

// minPassword is how many characters a password has at least (NIST SP 800-63B section 3.1.1.2).
const minPassword = 8

// Find returns an account by name, or ErrNotFound.
func (as *Accounts) Find(ctx context.Context, name string) (*oauth.Account, error) {
	return as.Store.Account(ctx, name)
}

// FindID returns an account by ID, or ErrNotFound.
func (as *Accounts) FindID(ctx context.Context, id string) (*oauth.Account, error) {
	return as.Store.AccountOf(ctx, id)
}

// Add creates a local account. Without a password its person is invited: NewLink returns a link with
// which the person chooses one. It returns ErrExists if the name is taken.
func (as *Accounts) Add(ctx context.Context, name, password string) error {
	if password == "" {
		return as.invite(ctx, name)
	}
	a, err := as.newAccount(ctx, operators, name, password)
	if err != nil {
		return err
	}
	return named(a.Name, as.Store.AddAccount(ctx, a))
}

func (as *Accounts) invite(ctx context.Context, name string) error {
	name, err := oauth.UserName(name)
	if err != nil {
		return err
	}
	return named(name, as.Store.AddAccount(ctx, &oauth.Account{
		ID:      secret.NewID(),
		Name:    name,
		Created: as.Env.Now(),
	}))
}

// SetPassword gives a local account a new password and ends its browser sessions and grants, or
// creates the account if the name is free. It unlocks the account. If the account has this password
// already, nothing else changes.
func (as *Accounts) SetPassword(ctx context.Context, name, password string) error {
	a, err := as.newAccount(ctx, operators, name, password)
	if err != nil {
		return err
	}
	err = as.Store.AddAccount(ctx, a)
	if !errors.Is(err, oauth.ErrExists) {
		return err
	}
	old, err := as.Store.Account(ctx, a.Name)
	if err != nil {
		return err
	}
	if old.Issuer != "" {
		return fmt.Errorf("account %q signs in at %s and has no password here", a.Name, old.Issuer)
	}

	same, err := checkPassword(old, password)
	if err != nil || same {
		return errors.Join(err, as.Store.ForgetGuesses(ctx, old.ID))
	}

	err = as.Store.SetPassword(ctx, old.ID, a.Password, as.Env.Now())
	as.Grants.Forget()
	return err
}

// SetAdmin gives a local account the role of an administrator, which lets it grant ScopeAdmin, or
// takes it away: with it goes what was granted. It returns ErrNotFound if no account has that name.
func (as *Accounts) SetAdmin(ctx context.Context, name string, admin bool) error {
	return as.change(ctx, name, admin, as.Store.SetAdmin)
}

// change changes the account of a name with set, and ends what was granted with the old rights.
func (as *Accounts) change(
	ctx context.Context,
	name string,
	on bool,
	set func(ctx context.Context, id string, on bool) error,
) error {
	name, err := oauth.UserName(name)
	if err != nil {
		return err
	}

	a, err := as.Store.Account(ctx, name)
	if err == nil {
		err = set(ctx, a.ID, on)
		as.Grants.Forget()
	}

	return named(name, err)
}

// Remove removes a local account and everything that it granted. It returns
// ErrNotFound if no account has that name.
func (as *Accounts) Remove(ctx context.Context, name string) error {
	name, err := oauth.UserName(name)
	if err != nil {
		return err
	}
	err = as.Store.RemoveAccount(ctx, name)
	as.Grants.Forget()
	return named(name, err)
}

// newAccount checks name and password and makes an account of them, in a turn of the caller.
func (as *Accounts) newAccount(
	ctx context.Context,
	by caller,
	name, password string,
) (*oauth.Account, error) {
	name, err := oauth.UserName(name)
	if err != nil {
		return nil, err
	}

	password, err = normalPassword(password)
	if err != nil {
		return nil, err
	}
	if utf8.RuneCountInString(password) < minPassword {
		return nil, ErrBadPassword
	}
	if isCommon(name, password) {
		return nil, ErrCommonPassword
	}

	leave, err := as.turn(ctx, by)
	if err != nil {
		return nil, err
	}
	defer leave()
	salt := make([]byte, 16)
	rand.Read(salt)
	key := deriveKey(password, salt)
	return &oauth.Account{
		ID:       secret.NewID(),
		Name:     name,
		Password: phc(salt, key),
		Created:  as.Env.Now(),
	}, nil
}

// named says in an error which account it is about.
func named(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("account %q: %w", name, err)
}

// SetDisabled keeps an account from signing in and its grants from opening anything, or lets it
// again. It returns ErrNotFound if no account has that name.
func (as *Accounts) SetDisabled(ctx context.Context, name string, disabled bool) error {
	return as.change(ctx, name, disabled, as.Store.SetDisabled)
}

// EndSessions ends the browser sessions of an account.
func (as *Accounts) EndSessions(ctx context.Context, id string) error {
	return as.Store.EndSessions(ctx, id)
}

// find returns the account of a name, or nil.
func (as *Accounts) find(ctx context.Context, name string) (*oauth.Account, error) {
	if _, err := oauth.UserName(name); err != nil {
		return nil, nil
	}
	a, err := as.Store.Account(ctx, name)
	if errors.Is(err, oauth.ErrNotFound) {
		return nil, nil
	}
	return a, err
}
