package signin

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"time"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/secret"
)

// setupTTL is how long the code for the first account works.
const setupTTL = time.Hour

// OpenSetup returns a code with which the sign-in page makes the first account,
// an administrator, once and within an hour. It replaces an older code. It
// returns "" if an account exists. Show the code only to the operator.
func (pw *Passwords) OpenSetup(ctx context.Context) (code string, expires time.Time, err error) {
	code, expires = newSetupCode(), pw.Env.Now().Add(setupTTL)
	err = pw.Setup.OpenSetup(ctx, secret.Hash(plainCode(code)), expires)
	if errors.Is(err, oauth.ErrExists) {
		return "", time.Time{}, nil
	}
	return code, expires, err
}

// newSetupCode returns 100 random bits in groups of letters.
func newSetupCode() string {
	t := rand.Text()
	return t[:5] + "-" + t[5:10] + "-" + t[10:15] + "-" + t[15:20]
}

// plainCode normalizes a typed code.
func plainCode(code string) string {
	return strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(code))
}

// SettingUp tells whether the first account is to be made.
func (pw *Passwords) SettingUp(ctx context.Context) (bool, error) {
	if pw.Off {
		return false, nil
	}
	return pw.Setup.SetupOpen(ctx, pw.Env.Now())
}

// firstAccount records the first account, an administrator. A code has 100 random bits, so that wrong
// codes of strangers do not block the operator.
func (pw *Passwords) firstAccount(
	w http.ResponseWriter, r *http.Request, f endpoint.Form,
) (*oauth.Account, error) {
	if pw.Off {
		return nil, noPasswords()
	}

	ctx := r.Context()
	by := caller{key: pw.Env.Network(r)}
	a, err := pw.Accounts.newAccount(ctx, by, f.Get("username"), f.Get("password"))
	if errors.Is(err, oauth.ErrBadName) {
		return nil, &Refusal{
			Code:   "bad_username",
			Reason: "This username can't be used. Use letters, digits and punctuation, without spaces.",
		}
	}
	if err != nil {
		return nil, passwordRefusal(err)
	}

	a.Admin = true // only the operator has the code
	err = pw.Setup.AddFirstAccount(ctx, secret.Hash(plainCode(f.Get("code"))), a, pw.Env.Now())
	if errors.Is(err, oauth.ErrNotFound) {
		if e := pw.Env.CountRefusal(r, "setup"); e != nil {
			return nil, tooManyAttempts(e.RetryAfter, e.Quota)
		}
		pw.Env.Log.WarnContext(ctx, "oauth: setup code refused", "address", pw.Env.Address(r))
		pw.Env.AuditFailedSignIn(r, "wrong setup code")
		return nil, &Refusal{
			Code:   "wrong_setup_code",
			Reason: "The setup code is wrong, or it has expired. The server shows a new one when it starts.",
		}
	}
	if errors.Is(err, oauth.ErrExists) {
		return nil, &Refusal{
			Code:   "username_taken",
			Reason: "This username belongs to a person who signs in elsewhere. Choose another.",
		}
	}
	if err != nil {
		return nil, err
	}
	if err := pw.remember(w, r, a); err != nil {
		return nil, err
	}

	pw.Env.AuditAccount(r, oauth.EventAccount, a, "with the setup code")
	pw.Env.Log.InfoContext(
		ctx, "oauth: first account made",
		"user", a.ID,
		"address", pw.Env.Address(r),
	)
	return a, nil
}
