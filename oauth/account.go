package oauth

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"unicode/utf8"
)

// ErrBadName says why a name was refused.
var ErrBadName = errors.New("oauth: not a user name: it may hold letters, digits and punctuation, up to 64 bytes")

// ErrBadPassword says why a password was refused.
var ErrBadPassword = errors.New("oauth: not a password: it must have 8 characters at least, up to 1,024 bytes, and no control characters")

// minPassword is how many characters a password has at least (NIST SP 800-63B
// section 3.1.1.2).
const minPassword = 8

// AddUser creates a local account. It returns ErrExists if there is one of
// that name.
func (s *Server) AddUser(ctx context.Context, name, password string) error {
	a, err := s.newAccount(ctx, name, password)
	if err != nil {
		return err
	}
	return named(a.Name, s.Store.AddAccount(ctx, a))
}

// SetPassword gives a local account a new password and ends its browser
// sessions, or creates the account if there is none of that name. A password
// that is the account's already changes nothing.
func (s *Server) SetPassword(ctx context.Context, name, password string) error {
	a, err := s.newAccount(ctx, name, password)
	if err != nil {
		return err
	}
	err = s.Store.AddAccount(ctx, a)
	if !errors.Is(err, ErrExists) {
		return err
	}
	old, err := s.Store.Account(ctx, a.Name)
	if err != nil {
		return err
	}
	if old.Issuer != "" {
		return fmt.Errorf("account %q signs in at %s and has no password here", a.Name, old.Issuer)
	}
	if same, err := s.account(ctx, name, password); err != nil || same != nil {
		return err
	}
	return s.Store.SetPassword(ctx, old.ID, a.Password)
}

// SetAdmin gives a local account the role of an administrator, which lets it
// grant ScopeAdmin, or takes it away: with it goes what was granted. It returns
// ErrNotFound if there is no account of that name.
func (s *Server) SetAdmin(ctx context.Context, name string, admin bool) error {
	name, err := userName(name)
	if err != nil {
		return err
	}
	a, err := s.Store.Account(ctx, name)
	if err == nil {
		err = s.Store.SetAdmin(ctx, a.ID, admin)
		s.forgetGrants()
	}
	return named(name, err)
}

// RemoveUser removes a local account and everything that it granted. It
// returns ErrNotFound if there is none of that name.
func (s *Server) RemoveUser(ctx context.Context, name string) error {
	name, err := userName(name)
	if err != nil {
		return err
	}
	err = s.Store.RemoveAccount(ctx, name)
	s.forgetGrants()
	return named(name, err)
}

// Users returns the names of the local accounts.
func (s *Server) Users(ctx context.Context) ([]string, error) { return s.Store.Accounts(ctx) }

// newAccount checks name and password and makes an account of them.
func (s *Server) newAccount(ctx context.Context, name, password string) (*Account, error) {
	name, err := userName(name)
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
	salt := make([]byte, 16)
	rand.Read(salt)
	key, err := s.stretch(ctx, password, salt)
	if err != nil {
		return nil, err
	}
	return &Account{ID: newID(), Name: name, Password: phc(salt, key), Created: s.Now()}, nil
}

// named says in an error which account it is about.
func named(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("account %q: %w", name, err)
}
