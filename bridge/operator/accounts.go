package operator

import (
	"context"
	"errors"
	"time"

	"rialto/internal/audit"
	"rialto/oauth"
	"rialto/oauth/signin"
)

// Account is somebody who may sign in.
type Account struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Issuer   string    `json:"issuer,omitempty"` // the provider that vouches for the person; "" for a local account
	Admin    bool      `json:"admin"`
	Disabled bool      `json:"disabled"`
	UseCases []string  `json:"use_cases,omitempty"` // to which the provider limits the person
	Created  time.Time `json:"created"`
	Grants   int       `json:"grants"` // that are live, up to MostCounted
	Term     string    `json:"-"`      // by which a text found it
}

// AccountFilter chooses accounts. Empty fields do not filter.
type AccountFilter struct {
	Span
	Text     string // what the name holds from the beginning of a word on, in any letter case
	Admin    bool   // only administrators
	Disabled bool   // only disabled accounts
}

// AccountRows is what a store is asked for.
type AccountRows struct {
	Text            string // in any letter case
	Admin, Disabled bool
	After           Mark // without a text, its ID is a name; with one, an account's
	Limit           int
	Now             time.Time
}

// Accounts returns a page of accounts, in the order of their names. It fails with
// ErrCursor.
func (s *Service) Accounts(ctx context.Context, f AccountFilter) (*Page[Account], error) {
	after, err := f.mark()
	if err != nil {
		return nil, err
	}
	rows, err := s.Store.ListAccounts(ctx, AccountRows{
		Text: f.Text, Admin: f.Admin, Disabled: f.Disabled, After: after, Limit: f.size() + 1, Now: s.Now(),
	})
	if err != nil {
		return nil, err
	}
	return paged(rows, f.size(), (*Account).mark), nil
}

func (a *Account) mark() Mark {
	if a.Term != "" {
		return Mark{Term: a.Term, ID: a.ID}
	}
	return Mark{ID: a.Name}
}

// Account returns the account of that name, or ErrNotFound.
func (s *Service) Account(ctx context.Context, name string) (*Account, error) {
	a, err := s.OAuth.Accounts.Store.Account(ctx, name)
	if err != nil {
		return nil, found(err)
	}
	return s.account(ctx, a)
}

// AccountOf returns the account with that ID, or ErrNotFound.
func (s *Service) AccountOf(ctx context.Context, id string) (*Account, error) {
	a, err := s.OAuth.Accounts.Store.AccountOf(ctx, id)
	if err != nil {
		return nil, found(err)
	}
	return s.account(ctx, a)
}

func (s *Service) account(ctx context.Context, a *oauth.Account) (*Account, error) {
	live, err := s.Store.ListGrants(ctx, GrantRows{AccountID: a.ID, Live: true, Limit: MostCounted, Now: s.Now()})
	return &Account{
		ID: a.ID, Name: a.Name, Issuer: a.Issuer, Admin: a.Admin, Disabled: a.Disabled,
		UseCases: a.UseCases, Created: a.Created, Grants: len(live),
	}, err
}

// AddAccount creates a local account. It fails with Invalid if there is one of
// that name, or name or password will not do.
func (s *Service) AddAccount(ctx context.Context, by Actor, name, password string, admin bool) error {
	err := s.OAuth.Accounts.Add(ctx, name, password)
	if err == nil && admin {
		err = s.OAuth.Accounts.SetAdmin(ctx, name, true)
	}
	return s.recorded(ctx, by, audit.AccountAdded, name, roleOf(admin), inWords(err))
}

func roleOf(admin bool) string {
	if admin {
		return "administrator"
	}
	return "no administrator"
}

// SetPassword gives a local account a new password, which ends its sessions. It
// fails with ErrNotFound, and with Invalid for a password that will not do and an
// account that has none here.
func (s *Service) SetPassword(ctx context.Context, by Actor, name, password string) error {
	a, err := s.Account(ctx, name)
	if err != nil {
		return err
	}
	if a.Issuer != "" {
		return Invalid{"The account signs in elsewhere and has no password here."}
	}
	return s.recorded(ctx, by, audit.AccountPassword, name, "", inWords(s.OAuth.Accounts.SetPassword(ctx, name, password)))
}

// SetAdmin gives an account the role of an administrator, or takes it away. It
// fails with ErrNotFound.
func (s *Service) SetAdmin(ctx context.Context, by Actor, name string, admin bool) error {
	return s.recorded(ctx, by, audit.AccountAdmin, name, roleOf(admin), inWords(s.OAuth.Accounts.SetAdmin(ctx, name, admin)))
}

// SetDisabled keeps an account from signing in, and its connections from doing
// anything, until it is enabled again. It fails with ErrNotFound.
func (s *Service) SetDisabled(ctx context.Context, by Actor, name string, disabled bool) error {
	detail := "enabled"
	if disabled {
		detail = "disabled"
	}
	return s.recorded(ctx, by, audit.AccountDisabled, name, detail, inWords(s.OAuth.Accounts.SetDisabled(ctx, name, disabled)))
}

// RemoveAccount forgets an account, its sessions and what it granted. It fails
// with ErrNotFound.
func (s *Service) RemoveAccount(ctx context.Context, by Actor, name string) error {
	return s.recorded(ctx, by, audit.AccountRemoved, name, "", inWords(s.OAuth.Accounts.Remove(ctx, name)))
}

// inWords makes a refusal of what was asked one in words.
func inWords(err error) error {
	switch {
	case errors.Is(err, oauth.ErrExists):
		return Invalid{"There is an account of that name already."}
	case errors.Is(err, oauth.ErrBadName):
		return Invalid{"A name holds letters, digits and punctuation, up to 64 bytes."}
	case errors.Is(err, signin.ErrBadPassword):
		return Invalid{"A password has 8 characters at least, up to 1,024 bytes, and no control characters."}
	}
	return found(err)
}
