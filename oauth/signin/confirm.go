package signin

import (
	"context"
	"errors"
	"net/http"
	"time"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
)

// freshFor is how long a proof of who a person is allows dangerous actions.
const freshFor = 10 * time.Minute

// Confirmation says how the person of a session can prove again who they are.
type Confirmation struct {
	Fresh    bool   // they have, a moment ago
	Issuer   string // the provider at which they have to sign in again; "" for a local account
	Password bool   // a password counts, or a recovery code
	Passkey  string // the options for navigator.credentials.get; "" without passkeys
}

// Confirmation returns how the person can confirm a dangerous action.
func (pg *Pages) Confirmation(r *http.Request) (c Confirmation, err error) {
	session, err := pg.session(r)
	if err != nil {
		return c, err
	}
	c.Fresh = session.Proved.Add(freshFor).After(pg.Env.Now())
	c.Issuer = session.Issuer
	c.Password = session.Issuer == ""
	keys, err := pg.Passkeys.Store.Passkeys(r.Context(), session.AccountID)
	if err == nil && len(keys) > 0 {
		c.Passkey, err = pg.Passkeys.Request(ceremonyConfirm, session.Hash)
	}
	return c, err
}

// session returns the session of a request that a guard let through.
func (pg *Pages) session(r *http.Request) (*oauth.Session, error) {
	session, err := pg.Sessions.Current(r)
	if err == nil && session == nil {
		err = oauth.ErrNotFound // it ended just now
	}
	return session, err
}

// Confirm takes a proof of who the person of a session is: a password or the answer of a passkey. It
// fails with a Refusal.
func (pg *Pages) Confirm(w http.ResponseWriter, r *http.Request, password, passkey string) error {
	session, err := pg.session(r)
	if err != nil {
		return err
	}
	var a *oauth.Account
	if passkey != "" {
		a, err = pg.checkPasskey(r, ceremonyConfirm, session.Hash, passkey)
	} else {
		a, err = pg.Passwords.SignIn(w, r, session.Name, password)
	}
	if err != nil {
		return err
	}
	if a.ID != session.AccountID {
		return errPasskey
	}
	return pg.Sessions.Store.ProveSession(r.Context(), session.Hash, pg.Env.Now())
}

// PasskeyRequest returns the options for navigator.credentials.get in a form with a handle, which
// SignInByPasskey takes, or "" without passkeys.
func (pg *Pages) PasskeyRequest(handle string) (string, error) {
	return pg.Passkeys.Request(ceremonySignIn, handle)
}

// CheckPasskeys returns a Refusal if the account of a session must have a passkey, and has none yet.
func (pg *Pages) CheckPasskeys(r *http.Request, s *oauth.Session) error {
	missing, err := pg.Passkeys.Missing(r.Context(), s)
	if err == nil && missing {
		err = &Refusal{
			Code:   "passkey_missing",
			Reason: "Your account needs a passkey first. Add one in My account, and come back.",
		}
	}
	return err
}

// SignInByPasskey returns the account of the passkey that answered the challenge of a form, by the
// form's handle. It fails with a Refusal.
func (pg *Pages) SignInByPasskey(
	w http.ResponseWriter, r *http.Request, f endpoint.Form,
) (*oauth.Account, error) {
	a, err := pg.checkPasskey(r, ceremonySignIn, f.Get("handle"), f.Get("passkey"))
	if err != nil {
		return nil, err
	}
	return a, pg.Passwords.remember(w, r, a)
}

func (pg *Pages) checkPasskey(
	r *http.Request, ceremony, bound, response string,
) (*oauth.Account, error) {
	a, err := pg.Passkeys.Verify(r.Context(), ceremony, bound, response)
	if _, refused := errors.AsType[*Refusal](err); refused {
		if e := pg.Env.CountRefusal(r, "passkey"); e != nil {
			return nil, tooManyAttempts(e.RetryAfter, e.Quota)
		}
		pg.Env.AuditFailedSignIn(r, "wrong passkey")
	}
	return a, err
}

// OwnPasskeys returns the passkeys of the signed-in account, how many recovery codes it has, and the
// options for a new passkey, or "" if it cannot have another.
func (pg *Pages) OwnPasskeys(
	r *http.Request,
) (keys []*oauth.Passkey, codes int, creation string, err error) {
	session, err := pg.session(r)
	if err == nil {
		keys, err = pg.Passkeys.Store.Passkeys(r.Context(), session.AccountID)
	}
	if err == nil {
		codes, err = pg.Passkeys.Store.RecoveryCodes(r.Context(), session.AccountID)
	}
	if err == nil {
		creation, err = pg.Passkeys.Creation(r.Context(), session.AccountID, session.Hash)
	}
	return keys, codes, creation, err
}

// AddPasskey adds a passkey to the signed-in account. It fails with a Refusal, also in a session that
// is not fresh: who finds a browser open must not stay in the account.
func (pg *Pages) AddPasskey(r *http.Request, name, response string) error {
	return pg.changePasskeys(r, "added", func(ctx context.Context, s *oauth.Session) error {
		return pg.Passkeys.Add(ctx, s, name, response)
	})
}

// RenamePasskey gives a passkey of the signed-in account another name, or returns ErrNotFound.
func (pg *Pages) RenamePasskey(r *http.Request, id, name string) error {
	return pg.changePasskeys(r, "renamed", func(ctx context.Context, s *oauth.Session) error {
		return pg.Passkeys.Store.RenamePasskey(ctx, s.AccountID, id, name)
	})
}

// RemovePasskey removes a passkey of the signed-in account, or returns ErrNotFound.
func (pg *Pages) RemovePasskey(r *http.Request, id string) error {
	return pg.changePasskeys(r, "removed", func(ctx context.Context, s *oauth.Session) error {
		return pg.Passkeys.Store.RemovePasskey(ctx, s.AccountID, id)
	})
}

// NewRecoveryCodes returns new recovery codes of the signed-in account, and ends the older ones.
func (pg *Pages) NewRecoveryCodes(r *http.Request) (codes []string, err error) {
	err = pg.changePasskeys(r, "recovery codes made", func(ctx context.Context, s *oauth.Session) error {
		codes, err = pg.Passkeys.NewRecoveryCodes(ctx, s.AccountID)
		return err
	})
	return codes, err
}

// changePasskeys changes the passkeys of the signed-in account, which must be local, in a fresh session.
func (pg *Pages) changePasskeys(
	r *http.Request, detail string, change func(context.Context, *oauth.Session) error,
) error {
	session, err := pg.session(r)
	if err != nil {
		return err
	}
	if session.Issuer != "" {
		return oauth.ErrNotFound
	}
	if !session.Proved.Add(freshFor).After(pg.Env.Now()) {
		return &Refusal{Code: "not_fresh", Reason: "Confirm that it's you first."}
	}
	if err := change(r.Context(), session); err != nil {
		return err
	}
	pg.Env.Audit(r, oauth.Event{
		Kind:      oauth.EventPasskey,
		AccountID: session.AccountID,
		Account:   session.Name,
		Detail:    detail,
	})
	return nil
}

// Explain returns the words of a Refusal for a page, and sets Retry-After, or returns err.
func (pg *Pages) Explain(w http.ResponseWriter, err error) (reason string, _ error) {
	refused, ok := errors.AsType[*Refusal](err)
	if !ok {
		return "", err
	}
	endpoint.SetRetryAfter(w, refused.RetryAfter, refused.Quota)
	return refused.Reason, nil
}

// OwnSessions returns the sessions of the signed-in account, and the hash of the one of the request.
func (pg *Pages) OwnSessions(r *http.Request) (all []*oauth.Session, own string, err error) {
	session, err := pg.session(r)
	if err != nil {
		return nil, "", err
	}
	all, err = pg.Sessions.Store.Sessions(r.Context(), session.AccountID, pg.Env.Now())
	return all, session.Hash, err
}

// EndOwnSession ends a session of the signed-in account by its hash, or returns ErrNotFound.
func (pg *Pages) EndOwnSession(r *http.Request, hash string) error {
	session, err := pg.session(r)
	if err != nil {
		return err
	}
	return pg.Sessions.Store.EndSessionOf(r.Context(), session.AccountID, hash)
}

// EndOtherSessions ends the sessions of the signed-in account but the one of the request.
func (pg *Pages) EndOtherSessions(r *http.Request) error {
	session, err := pg.session(r)
	if err != nil {
		return err
	}
	return pg.Sessions.Store.EndOtherSessions(r.Context(), session.AccountID, session.Hash)
}
