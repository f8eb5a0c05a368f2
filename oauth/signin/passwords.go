package signin

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"rialto/internal/lru"
	"rialto/internal/quota"
	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/secret"
)

// Passwords signs people in by name and password, and makes the first account.
type Passwords struct {
	Off      bool // local accounts cannot sign in
	Accounts *Accounts
	Setup    SetupStore
	Secret   []byte
	Env      *endpoint.Env

	failures quota.Backoff          // by name, and by device or network
	unknown  lru.Cache[string, int] // guesses in a row for names without an account
}

// Refusal says why a sign-in was refused, in words for the page.
type Refusal struct {
	Code       string // never changes: "wrong_credentials"
	Reason     string // English
	RetryAfter time.Duration
	Quota      quota.Policy
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

func tooManyAttempts(e *oauth.Error) error {
	return &Refusal{
		Code:       "too_many_attempts",
		Reason:     "Too many attempts. Wait a little and try again.",
		RetryAfter: e.RetryAfter,
		Quota:      e.Quota,
	}
}

// passwordRefusal returns why a password is not taken, in words for the page, or err.
func passwordRefusal(err error) error {
	_, busy := errors.AsType[*quota.Refusal](err)
	switch {
	case errors.Is(err, ErrBadPassword):
		return &Refusal{
			Code:   "bad_password",
			Reason: "This password cannot be used. It needs 8 characters at least.",
		}
	case errors.Is(err, ErrCommonPassword):
		return &Refusal{
			Code:   "common_password",
			Reason: "This password is one of the first that are guessed. Choose another.",
		}
	case busy:
		return &Refusal{
			Code:       "busy",
			Reason:     "Too many people sign in at this moment. Try again in a few seconds.",
			RetryAfter: 5 * time.Second,
		}
	}
	return err
}

func noPasswords() error {
	return &Refusal{Code: "no_passwords", Reason: "This server does not take passwords."}
}

// SignIn returns the account of a name and password, and remembers the browser as one of the
// account's devices. Guesses are counted in three ways, each before the password is checked, so that
// parallel guesses are not free:
//
//   - for each name in a network: after a few, each doubles a wait;
//   - for each account, in the store, on all replicas: of the maxGuesses in a row, the last
//     deviceGuesses are for its devices, so that strangers do not lock its owner out;
//   - for each device of the account, a wait of its own instead of the wait of its network.
//
// A name that does not exist is answered like one that does. Wrong names do not count for others.
func (pw *Passwords) SignIn(
	w http.ResponseWriter,
	r *http.Request,
	name, password string,
) (*oauth.Account, error) {
	if pw.Off {
		return nil, noPasswords()
	}
	if normal, err := oauth.UserName(name); err == nil {
		name = normal // all spellings count as one
	}
	a, err := pw.Accounts.find(r.Context(), name)
	if err != nil {
		return nil, err
	}
	at := attempt{name: name, account: a, device: pw.device(r, a)}
	right, err := pw.check(r, at, password)
	if err != nil {
		return nil, passwordRefusal(err)
	}
	if !right {
		pw.Env.Log.WarnContext(r.Context(), "oauth: sign-in refused", "address", pw.Env.Address(r))
		pw.signInFailed(r, name)
		return nil, &Refusal{Code: "wrong_credentials", Reason: "Wrong username or password."}
	}
	pw.remember(w, a)
	return a, nil
}

// attempt is a password that is tried for a name.
type attempt struct {
	name    string
	account *oauth.Account // nil if there is none
	device  string         // "" in a browser that is not one of the account's devices
}

// Guesses for an account in a row, as many as NIST SP 800-63B section 3.2.2 allows, and how many of
// them are kept for its devices.
const (
	maxGuesses    = 100
	deviceGuesses = 10
)

// check counts an attempt and tells whether its password is right. It takes its turn before it
// counts: an attempt that is not checked is not a guess. Devices take turns of their own.
func (pw *Passwords) check(r *http.Request, at attempt, password string) (bool, error) {
	ctx := r.Context()
	network := pw.Env.Network(r)
	if at.device != "" {
		network = ""
	}
	key := secret.Hash(at.name) + " " + cmp.Or(network, at.device)
	if wait := pw.failures.Wait(key, pw.Env.Now()); wait > 0 {
		return false, tooManyAttempts(oauth.TooMany(wait))
	}
	leave, err := pw.Accounts.turn(ctx, network)
	if err != nil {
		return false, err
	}
	defer leave()
	if wait := pw.failures.Add(key, pw.Env.Now()); wait > 0 {
		return false, tooManyAttempts(oauth.TooMany(wait))
	}
	open, err := pw.countGuess(ctx, at)
	if err != nil {
		return false, err
	}
	if !open {
		return false, &Refusal{
			Code:   "account_locked",
			Reason: "This account is locked after too many wrong passwords. Sign in with a browser that you have used here before, or ask an administrator to set a new password.",
		}
	}
	right, err := checkPassword(at.account, password)
	if err != nil || !right {
		return false, err
	}
	pw.failures.Forget(key)
	return true, pw.Accounts.Store.ForgetGuesses(ctx, at.account.ID)
}

// countGuess counts an attempt and tells whether it may be checked. Guesses for a name without an
// account are counted in memory, so that strangers cannot fill the store.
func (pw *Passwords) countGuess(ctx context.Context, at attempt) (bool, error) {
	most := maxGuesses
	if at.device == "" {
		most -= deviceGuesses
	}
	if at.account != nil {
		return pw.Accounts.Store.CountGuess(ctx, at.account.ID, most)
	}
	n := pw.unknown.Update(
		secret.Hash(at.name), func(before int) int { return min(before+1, most+1) },
	)
	_, err := pw.Accounts.Store.CountGuess(ctx, "", most) // takes as long as for an account
	return n <= most, err
}

// signInFailed records a failed sign-in. It does not record an unknown name,
// which may be a password in the wrong field.
func (pw *Passwords) signInFailed(r *http.Request, name string) {
	e := oauth.Event{Kind: oauth.EventSignIn, Outcome: oauth.EventFailed, Detail: "wrong password"}
	a, err := pw.Accounts.Find(r.Context(), name)
	if err == nil {
		e.AccountID = a.ID
		e.Account = a.Name
	} else {
		e.Detail = "no such account"
	}
	pw.Env.Audit(r, e)
}

// ChangePassword changes the password of the signed-in account, which must be local, and ends its
// browser sessions; this browser gets a new one. It also ends the account's grants if endGrants is
// set. refusal says in words for the page why it did not.
func (pg *Pages) ChangePassword(
	w http.ResponseWriter,
	r *http.Request,
	present, next string,
	endGrants bool,
) (refusal string, err error) {
	ctx := r.Context()
	session, err := pg.Sessions.Current(r)
	if err != nil || session == nil {
		return "Sign in to allow this.", err
	}
	a, err := pg.Passwords.SignIn(w, r, session.Name, present)
	if refused, ok := errors.AsType[*Refusal](err); ok {
		endpoint.SetRetryAfter(w, refused.RetryAfter, refused.Quota)
		if refused.Code != "wrong_credentials" {
			return refused.Reason, nil
		}
		return "The present password is not right.", nil
	}
	if err != nil {
		return "", err
	}
	return pg.replacePassword(ctx, w, r, a, next, endGrants)
}

func (pg *Pages) replacePassword(
	ctx context.Context,
	w http.ResponseWriter,
	r *http.Request,
	a *oauth.Account,
	next string,
	endGrants bool,
) (refusal string, err error) {
	fresh, err := pg.Passwords.Accounts.newAccount(ctx, "", a.Name, next)
	if refused, ok := errors.AsType[*Refusal](passwordRefusal(err)); ok {
		return refused.Reason, nil
	}
	if err == nil {
		var revoked time.Time
		if endGrants {
			revoked = pg.Env.Now()
		}
		err = pg.Passwords.Accounts.Store.SetPassword(ctx, a.ID, fresh.Password, revoked)
		pg.Passwords.Accounts.Grants.Forget()
	}
	if err == nil {
		a.Password = fresh.Password
		pg.Passwords.remember(w, a)
		_, err = pg.Sessions.Start(w, r, a, time.Time{})
	}
	return "", err
}
