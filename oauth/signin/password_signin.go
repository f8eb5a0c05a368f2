package signin

import (
	"context"
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

// Refusal is why a sign-in was refused, in words for the page.
type Refusal struct {
	Reason     string
	RetryAfter time.Duration
}

func (e *Refusal) Error() string { return e.Reason }

func (e *Refusal) Status() int {
	if e.RetryAfter > 0 {
		return http.StatusTooManyRequests
	}
	return http.StatusForbidden
}

func noPasswords() error { return &Refusal{Reason: "This server does not take passwords."} }

// SignIn finds the account that name and password belong to. It answers an
// unknown name as it does a wrong password, and slows down who guesses: by
// name and address, and by address alone for one who tries many names.
func (pw *Passwords) SignIn(ctx context.Context, r *http.Request, name, password string) (*oauth.Account, error) {
	if pw.Off {
		return nil, noPasswords()
	}
	address, now := pw.Env.Address(r), pw.Env.Now()
	if normal, err := oauth.UserName(name); err == nil {
		name = normal // however it is spelled, it is one to guess for
	}
	byName, byAddress := secret.Hash(name)+" "+address, "any "+address
	if wait := max(pw.failures.Wait(byName, now), pw.failures.Wait(byAddress, now)); wait > 0 {
		return nil, &Refusal{"Too many attempts. Wait a little and try again.", wait}
	}
	// Counted before it is known to fail: guesses that run in parallel would
	// otherwise all be free.
	pw.failures.Add(byName, limit.FreeAttempts, now)
	before := pw.failures.Add(byAddress, 10*limit.FreeAttempts, now)
	a, err := pw.Accounts.authenticate(ctx, name, password)
	if err != nil {
		return nil, err
	}
	if a == nil {
		pw.Env.Log.WarnContext(ctx, "oauth: sign-in refused", "address", address)
		pw.signInFailed(r, name)
		return nil, &Refusal{Reason: "Wrong username or password."}
	}
	pw.failures.Failed.Drop(byName)
	pw.failures.Forgive(byAddress, before)
	return a, nil
}

// signInFailed tells of a sign-in that was refused. A name that is nobody's is
// not told: it may be a password in the wrong field.
func (pw *Passwords) signInFailed(r *http.Request, name string) {
	e := oauth.Event{Kind: oauth.EventSignIn, Outcome: oauth.EventFailed, Detail: "wrong password"}
	a, err := pw.Accounts.Store.Account(r.Context(), name)
	if err == nil {
		e.AccountID, e.Account = a.ID, a.Name
	} else {
		e.Detail = "no such account"
	}
	pw.Env.HappenedAt(r, e)
}
