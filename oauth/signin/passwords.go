package signin

import (
	"context"
	"errors"
	"net/http"
	"time"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/limit"
	"rialto/oauth/internal/secret"
)

// Passwords signs people in by name and password, and makes the first account.
type Passwords struct {
	Off      bool // local accounts cannot sign in
	Accounts *Accounts
	Setup    SetupStore
	Env      *endpoint.Env

	failures limit.Backoff
}

// Refusal says why a sign-in was refused, in words for the page.
type Refusal struct {
	Code       string // never changes: "wrong_credentials"
	Reason     string // English
	RetryAfter time.Duration
}

// Error returns the reason.
func (e *Refusal) Error() string { return e.Reason }

// Status returns the HTTP status of the page.
func (e *Refusal) Status() int {
	if e.RetryAfter > 0 {
		return http.StatusTooManyRequests
	}
	return http.StatusForbidden
}

func tooManyAttempts(wait time.Duration) error {
	return &Refusal{Code: "too_many_attempts", Reason: "Too many attempts. Wait a little and try again.", RetryAfter: wait}
}

func noPasswords() error {
	return &Refusal{Code: "no_passwords", Reason: "This server does not take passwords."}
}

// SignIn returns the account of a name and password. It answers an unknown name like a wrong
// password, and slows guessing down: by name and address, and by address alone across names.
func (pw *Passwords) SignIn(ctx context.Context, r *http.Request, name, password string) (*oauth.Account, error) {
	if pw.Off {
		return nil, noPasswords()
	}
	address, now := pw.Env.Address(r), pw.Env.Now()
	if normal, err := oauth.UserName(name); err == nil {
		name = normal // all spellings count as one
	}
	byName, byAddress := secret.Hash(name)+" "+address, "any "+address
	if wait := max(pw.failures.Wait(byName, now), pw.failures.Wait(byAddress, now)); wait > 0 {
		return nil, tooManyAttempts(wait)
	}
	// Counted before the check: otherwise parallel guesses would all be free.
	pw.failures.Add(byName, limit.FreeAttempts, now)
	before := pw.failures.Add(byAddress, 10*limit.FreeAttempts, now)
	a, err := pw.Accounts.authenticate(ctx, name, password)
	if err != nil {
		return nil, err
	}
	if a == nil {
		pw.Env.Log.WarnContext(ctx, "oauth: sign-in refused", "address", address)
		pw.signInFailed(r, name)
		return nil, &Refusal{Code: "wrong_credentials", Reason: "Wrong username or password."}
	}
	pw.failures.Failed.Drop(byName)
	pw.failures.Forgive(byAddress, before)
	return a, nil
}

// signInFailed records a failed sign-in. It does not record an unknown name,
// which may be a password in the wrong field.
func (pw *Passwords) signInFailed(r *http.Request, name string) {
	e := oauth.Event{Kind: oauth.EventSignIn, Outcome: oauth.EventFailed, Detail: "wrong password"}
	a, err := pw.Accounts.Find(r.Context(), name)
	if err == nil {
		e.AccountID, e.Account = a.ID, a.Name
	} else {
		e.Detail = "no such account"
	}
	pw.Env.HappenedAt(r, e)
}

// ChangePassword changes the password of the signed-in account, which must be local, and ends its
// browser sessions; this browser gets a new one. refusal says in words for the page why it did not.
func (pg *Pages) ChangePassword(w http.ResponseWriter, r *http.Request, present, next string) (refusal string, err error) {
	ctx := r.Context()
	session, err := pg.Sessions.Current(r)
	if err != nil || session == nil {
		return "Sign in to allow this.", err
	}
	a, err := pg.Passwords.SignIn(ctx, r, session.Name, present)
	if refused, ok := errors.AsType[*Refusal](err); ok {
		endpoint.SetRetryAfter(w, refused.RetryAfter)
		if refused.RetryAfter > 0 {
			return refused.Reason, nil
		}
		return "The present password is not right.", nil
	}
	if err != nil {
		return "", err
	}
	return pg.replacePassword(ctx, w, r, a, next)
}

func (pg *Pages) replacePassword(ctx context.Context, w http.ResponseWriter, r *http.Request, a *oauth.Account, next string) (refusal string, err error) {
	fresh, err := pg.Passwords.Accounts.newAccount(ctx, a.Name, next)
	if errors.Is(err, ErrBadPassword) {
		return "This password cannot be used. It needs 8 characters at least.", nil
	}
	if err == nil {
		err = pg.Passwords.Accounts.Store.SetPassword(ctx, a.ID, fresh.Password)
	}
	if err == nil {
		_, err = pg.Sessions.Start(w, r, a, time.Time{})
	}
	return "", err
}
