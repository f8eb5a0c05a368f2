package signin

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"rialto/internal/quota"
	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/secret"
)

// Passwords signs people in by name and password, and makes the first account.
type Passwords struct {
	Off      bool // local accounts cannot sign in
	Accounts *Accounts
	Guesses  GuessStore
	Setup    SetupStore
	Links    LinkStore
	Passkeys *Passkeys
	Secret   []byte
	Env      *endpoint.Env

	failures quota.Backoff // by name, and by device or network
	attempts quota.Rate    // right or wrong, as turns are shared
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

func tooManyAttempts(wait time.Duration, used quota.Policy) error {
	return &Refusal{
		Code:       "too_many_attempts",
		Reason:     "Too many attempts. Wait a moment and try again.",
		RetryAfter: wait,
		Quota:      used,
	}
}

// passwordRefusal returns why a password is not taken, in words for the page, or err.
func passwordRefusal(err error) error {
	_, busy := errors.AsType[*quota.Refusal](err)
	switch {
	case errors.Is(err, ErrBadPassword):
		return &Refusal{
			Code:   "bad_password",
			Reason: "This password can't be used. It needs at least 8 characters.",
		}
	case errors.Is(err, ErrCommonPassword):
		return &Refusal{
			Code:   "common_password",
			Reason: "This password is too easy to guess. Choose another.",
		}
	case busy:
		return &Refusal{
			Code:       "busy",
			Reason:     "Too many people are signing in right now. Try again in a few seconds.",
			RetryAfter: 5 * time.Second,
		}
	}

	return err
}

// refusalPause is how long a caller waits for a refusal for now. One that does not heed Retry-After
// would otherwise take the processor from others.
const refusalPause = 250 * time.Millisecond

// slowed returns err, after a pause if it is a refusal for now.
func slowed(ctx context.Context, err error) error {
	refusal, ok := errors.AsType[*Refusal](err)
	if ok && refusal.RetryAfter > 0 {
		select {
		case <-time.After(refusalPause):
		case <-ctx.Done():
		}
	}
	return err
}

func noPasswords() error {
	return &Refusal{Code: "no_passwords", Reason: "This server doesn't take passwords."}
}

// SignIn returns the account of a name and password, and remembers the browser as one of the
// account's devices. Guesses are counted in three ways, each before the password is checked, so that
// parallel guesses are not free:
//
//   - for each name in a network: after a few, each doubles a wait;
//   - for each name, in the store, on all replicas: of the maxGuesses in a row, the last are for
//     networks and devices of the account, so that strangers do not lock its owner out. After
//     that, one an hour is checked;
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
	at, err := pw.newAttempt(r, name)
	if err != nil {
		return nil, err
	}
	right, err := pw.check(r, at, password)
	if err != nil {
		return nil, slowed(r.Context(), passwordRefusal(err))
	}
	if !right {
		pw.Env.Log.WarnContext(r.Context(), "oauth: sign-in refused", "address", pw.Env.Address(r))
		pw.signInFailed(r, name)
		return nil, &Refusal{Code: "wrong_credentials", Reason: "Wrong username or password."}
	}
	return at.account, pw.remember(w, r, at.account)
}

// attempt is a password that is tried for a name.
type attempt struct {
	name    string
	account *oauth.Account // nil if there is none
	key     string         // of the guesses in a row
	device  string         // "" in a browser that is not one of the account's devices
	network string
	known   bool // the account has signed in in this browser or network
}

// newAttempt finds out what is known of an attempt. It asks the store the same for an unknown name.
func (pw *Passwords) newAttempt(r *http.Request, name string) (at attempt, err error) {
	a, err := pw.Accounts.find(r.Context(), name)
	if err != nil {
		return at, err
	}

	at = attempt{
		name:    name,
		account: a,
		key:     secret.MAC(pw.Secret, "name "+name),
		device:  pw.device(r, a),
		network: pw.Env.Network(r),
	}
	if a != nil {
		at.key = a.ID
	}

	network := pw.networkMAC(at.key, at.network)
	at.known, err = pw.Guesses.KnowsNetwork(r.Context(), at.key, network)
	at.known = at.known || at.device != ""
	return at, err
}

// caller returns who takes a turn for an attempt. The devices of an account do it together, because
// their cookies work from every network.
func (at attempt) caller() caller {
	switch {
	case at.device != "":
		return caller{at.key, true}
	case at.known:
		return caller{at.key + " " + at.network, true}
	}
	return caller{key: at.network}
}

// attempts is how often a password is tried for a name, by a caller.
var attempts = quota.Bucket{Name: "sign-in", Burst: 60, Window: 2 * time.Minute}

// Guesses for an account in a row, as many as NIST SP 800-63B section 3.2.2 allows, and how many of
// them are kept for its devices, and before these for its networks.
const (
	maxGuesses     = 100
	deviceGuesses  = 5
	networkGuesses = 5
)

// limit returns how many guesses in a row may have been made, with this one.
func (at attempt) limit() int {
	switch {
	case at.device != "":
		return maxGuesses
	case at.known:
		return maxGuesses - deviceGuesses
	}
	return maxGuesses - deviceGuesses - networkGuesses
}

// check counts an attempt and tells whether its password is right. It takes its turn before it
// counts: an attempt that is not checked is not a guess.
func (pw *Passwords) check(r *http.Request, at attempt, password string) (bool, error) {
	ctx := r.Context()
	by := at.caller()
	name := secret.Hash(at.name) + " "
	key := name + cmp.Or(at.device, at.network)
	if wait := pw.failures.Wait(key, pw.Env.Now()); wait > 0 {
		return false, tooManyAttempts(wait, quota.Policy{})
	}

	refused := pw.attempts.Take(attempts, pw.Env.Now(), quota.Key{Name: name + by.key})
	if refused != nil {
		return false, tooManyAttempts(refused.RetryAfter, attempts.Policy())
	}

	leave, err := pw.Accounts.turn(ctx, by)
	if err != nil {
		return false, err
	}
	defer leave()
	if wait := pw.failures.Add(key, pw.Env.Now()); wait > 0 {
		return false, tooManyAttempts(wait, quota.Policy{})
	}

	open, err := pw.Guesses.CountGuess(
		ctx,
		at.key,
		at.account == nil,
		at.limit(),
		pw.Env.Now(),
	)
	if err != nil {
		return false, err
	}
	if !open {
		return false, &Refusal{
			Code:   "account_locked",
			Reason: "This account is locked after too many wrong passwords. Sign in with a browser or from a network that you have used here before, or ask an administrator for a sign-in link.",
		}
	}

	right, err := pw.proves(r, at.account, password)
	if err != nil || !right {
		return false, err
	}

	pw.failures.Forget(key)
	return true, nil
}

// proves tells whether a password, or a recovery code in its place, signs an account in.
func (pw *Passwords) proves(r *http.Request, a *oauth.Account, password string) (bool, error) {
	right, err := checkPassword(a, password)
	if err != nil {
		return false, err
	}
	if !right {
		return pw.Passkeys.recovered(r, a, password)
	}
	if !pw.Passkeys.Required(a.Issuer, a.Admin) {
		return true, nil
	}
	keys, err := pw.Passkeys.Store.Passkeys(r.Context(), a.ID)
	if err == nil && len(keys) > 0 {
		err = &Refusal{
			Code:   "passkey_required",
			Reason: "Sign in to this account with a passkey. Without one, type a recovery code as the password.",
		}
	}
	return err == nil, err
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
// set. again repeats next. refusal says in words for the page why it did not.
func (pg *Pages) ChangePassword(
	w http.ResponseWriter,
	r *http.Request,
	present, next, again string,
	endGrants bool,
) (refusal string, err error) {
	if next != again {
		return "The two new passwords aren't the same.", nil
	}

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
		return "That isn't your current password.", nil
	}
	if err != nil {
		return "", err
	}

	return pg.replacePassword(w, r, a, next, endGrants)
}

func (pg *Pages) replacePassword(
	w http.ResponseWriter,
	r *http.Request,
	a *oauth.Account,
	next string,
	endGrants bool,
) (refusal string, err error) {
	ctx := r.Context()
	accounts := pg.Passwords.Accounts
	fresh, err := accounts.newAccount(ctx, caller{a.ID, true}, a.Name, next)
	if err != nil {
		return pg.Explain(w, passwordRefusal(err))
	}

	ended := "sessions ended"
	var revoked time.Time
	if endGrants {
		ended = "sessions and connections ended"
		revoked = pg.Env.Now()
	}
	err = accounts.Store.SetPassword(ctx, a.ID, fresh.Password, revoked)
	accounts.Grants.Forget()
	if err != nil {
		return "", err
	}

	pg.Env.AuditAccount(r, oauth.EventPassword, a, ended)
	a.Password = fresh.Password
	err = pg.Passwords.remember(w, r, a)
	if err == nil {
		_, err = pg.Sessions.Start(w, r, a, time.Time{})
	}
	return "", err
}
