package operator

import (
	"context"
	"errors"
	"time"

	"rialto/internal/audit"
	"rialto/oauth"
	"rialto/oauth/signin"
)

// Account is a person who may sign in.
type Account struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Issuer   string    `json:"issuer,omitempty"` // the identity provider; "" for a local account
	Admin    bool      `json:"admin"`
	Disabled bool      `json:"disabled"`
	UseCases []string  `json:"use_cases,omitempty"` // to which the provider limits the person
	Created  time.Time `json:"created"`
	Grants   int       `json:"grants"` // that are live, up to MostCounted

	Invited     bool      `json:"invited,omitempty"`     // the person has not chosen yet how to sign in
	LinkExpires time.Time `json:"link_expires,omitzero"` // of the link that signs the person in
	Term        string    `json:"-"`                     // the word that a search found
}

// AccountFilter chooses accounts. Empty fields do not filter.
type AccountFilter struct {
	Span
	ID       string
	Text     string // the beginning of a word of the name, in any letter case
	Admin    bool   // only administrators
	Disabled bool   // only disabled accounts
}

// Table implements Query.
func (f *AccountFilter) Table() *Table { return tables()["accounts"] }

// Read implements Query.
func (f *AccountFilter) Read(ctx context.Context, s *Service, span Span) (*Page[any], error) {
	f.Span = span
	return untyped(s.Accounts(ctx, *f))
}

// Accounts returns a page of accounts, sorted by name. It fails with ErrCursor.
func (s *Service) Accounts(ctx context.Context, f AccountFilter) (*Page[Account], error) {
	return list(ctx, s, f, s.Store.ListAccounts, s.Store.CountAccounts, (*Account).mark)
}

func (a *Account) mark() Mark {
	if a.Term != "" {
		return Mark{Term: a.Term, ID: a.ID}
	}
	return Mark{ID: a.Name}
}

// Account returns the account with a name, or ErrNotFound.
func (s *Service) Account(ctx context.Context, name string) (*Account, error) {
	a, err := s.OAuth.Accounts.Find(ctx, name)
	return s.account(ctx, a, err)
}

// AccountOf returns the account with an ID, or ErrNotFound.
func (s *Service) AccountOf(ctx context.Context, id string) (*Account, error) {
	a, err := s.OAuth.Accounts.FindID(ctx, id)
	return s.account(ctx, a, err)
}

func (s *Service) account(ctx context.Context, a *oauth.Account, err error) (*Account, error) {
	if err != nil {
		return nil, refusal(err)
	}

	found, err := s.Store.ListAccounts(ctx, AccountFilter{ID: a.ID}, Rows{Limit: 1, Now: s.Now()})
	if err == nil && len(found) == 0 { // it was removed in between
		err = ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return &found[0], nil
}

// AddAccount creates a local account. Without a password it returns a link with which its person
// chooses how to sign in, also for an account that is invited to the same role already. It fails with an
// Error if the name is taken, or if name or password are not valid.
func (s *Service) AddAccount(
	ctx context.Context,
	by Actor,
	name, password string,
	admin bool,
) (link string, err error) {
	err = s.OAuth.Accounts.Add(ctx, name, password)
	if password == "" && errors.Is(err, oauth.ErrExists) {
		if a, e := s.Account(ctx, name); e == nil && a.Invited && a.Admin == admin {
			return s.SignInLink(ctx, by, name)
		}
	}
	if err == nil && admin {
		err = s.OAuth.Accounts.SetAdmin(ctx, name, true)
	}

	err = record(ctx, s.Audit, by, audit.AccountAdded, name, roleOf(admin), refusal(err))
	if err != nil || password != "" {
		return "", err
	}
	return s.SignInLink(ctx, by, name)
}

func roleOf(admin bool) string {
	if admin {
		return "administrator"
	}
	return "member"
}

// SetPassword sets the password of a local account, which ends its sessions and grants. It fails with
// ErrNotFound, and with an Error for a password that is not valid or an account that has none here.
func (s *Service) SetPassword(ctx context.Context, by Actor, name, password string) error {
	a, err := s.Account(ctx, name)
	if err != nil {
		return err
	}
	if a.Issuer != "" {
		return errNoPassword
	}

	return record(
		ctx,
		s.Audit,
		by,
		audit.AccountPassword,
		name,
		"sessions and connections ended",
		refusal(s.OAuth.Accounts.SetPassword(ctx, name, password)),
	)
}

// AccountChange is what to change of an account; nil changes nothing.
type AccountChange struct {
	Admin    *bool   `json:"admin"`
	Disabled *bool   `json:"disabled"`
	Password *string `json:"password"`
}

// ChangeAccount changes an account and returns it. If a change is refused, nothing has changed: the
// actor's own role is checked first, and the password is the only other value that can be refused.
// After an error of the store, the audit log says what was done. Its errors are those of
// SetPassword, SetAdmin and SetDisabled.
func (s *Service) ChangeAccount(
	ctx context.Context, by Actor, name string, c AccountChange,
) (*Account, error) {
	var err error
	if c.Admin != nil || c.Disabled != nil {
		err = checkNotOwn(ctx, s.OAuth.Accounts, by, name)
	}
	if err == nil && c.Password != nil {
		err = s.SetPassword(ctx, by, name, *c.Password)
	}
	if err == nil && c.Admin != nil {
		err = s.SetAdmin(ctx, by, name, *c.Admin)
	}
	if err == nil && c.Disabled != nil {
		err = s.SetDisabled(ctx, by, name, *c.Disabled)
	}
	if err != nil {
		return nil, err
	}

	return s.Account(ctx, name)
}

// SignInLink returns a link that signs a local account in, once, and ends an older one: within an hour,
// or within seven days for an invited person. It fails with ErrNotFound, and with an Error for an account
// that is disabled or signs in elsewhere.
func (s *Service) SignInLink(ctx context.Context, by Actor, name string) (string, error) {
	a, err := s.Account(ctx, name)
	switch {
	case err != nil:
		return "", err
	case a.Issuer != "", s.OAuth.Passwords.Off:
		return "", errNoPassword
	case a.Disabled:
		return "", errDisabled
	}

	link, err := s.OAuth.Passwords.NewLink(ctx, a.ID, a.Invited)
	return link, record(ctx, s.Audit, by, audit.AccountLink, name, "made", refusal(err))
}

// checkNotOwn returns ErrOwnAccount if an account is the actor's own: an administrator who
// removes the own account, or its role, might be the last one.
func checkNotOwn(ctx context.Context, accounts *signin.Accounts, by Actor, name string) error {
	a, err := accounts.Find(ctx, name)
	if err == nil && a.ID == by.ID {
		return ErrOwnAccount
	}
	return refusal(err)
}

// SetAdmin gives an account the role of an administrator, or takes it away. It
// fails with ErrNotFound and ErrOwnAccount.
func (s *Service) SetAdmin(ctx context.Context, by Actor, name string, admin bool) error {
	err := checkNotOwn(ctx, s.OAuth.Accounts, by, name)
	if err == nil {
		err = refusal(s.OAuth.Accounts.SetAdmin(ctx, name, admin))
	}
	return record(ctx, s.Audit, by, audit.AccountAdmin, name, roleOf(admin), err)
}

// SetDisabled disables an account: it can neither sign in nor use its grants until
// it is enabled again. It fails with ErrNotFound and ErrOwnAccount.
func (s *Service) SetDisabled(ctx context.Context, by Actor, name string, disabled bool) error {
	detail := "enabled"
	if disabled {
		detail = "disabled"
	}
	err := checkNotOwn(ctx, s.OAuth.Accounts, by, name)
	if err == nil {
		err = refusal(s.OAuth.Accounts.SetDisabled(ctx, name, disabled))
	}
	return record(ctx, s.Audit, by, audit.AccountDisabled, name, detail, err)
}

// SignOut ends the browser sessions and the grants of an account and returns how many grants were
// live. It fails with ErrNotFound.
func (s *Service) SignOut(ctx context.Context, by Actor, name string) (int, error) {
	a, err := s.Account(ctx, name)
	if err != nil {
		return 0, err
	}
	err = refusal(s.OAuth.Accounts.EndSessions(ctx, a.ID))
	if err := record(ctx, s.Audit, by, audit.AccountSignedOut, name, "", err); err != nil {
		return 0, err
	}
	return s.RevokeGrants(ctx, by, a.ID, "")
}

// RemoveAccount deletes an account, its sessions and its grants. It fails with
// ErrNotFound and ErrOwnAccount.
func (s *Service) RemoveAccount(ctx context.Context, by Actor, name string) error {
	err := checkNotOwn(ctx, s.OAuth.Accounts, by, name)
	if err == nil {
		err = refusal(s.OAuth.Accounts.Remove(ctx, name))
	}
	return record(ctx, s.Audit, by, audit.AccountRemoved, name, "", err)
}
