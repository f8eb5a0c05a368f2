package signin

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/go-webauthn/webauthn/webauthn"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/secret"
)

// How long a sign-in link works, and one with which an invited person chooses a password.
const (
	linkTTL   = time.Hour
	inviteTTL = 7 * 24 * time.Hour
)

// NewLink returns a link to a local account, and ends an older one. Show it only to the operator.
func (pw *Passwords) NewLink(ctx context.Context, accountID string, invited bool) (string, error) {
	if pw.Off {
		return "", noPasswords()
	}
	ttl := linkTTL
	if invited {
		ttl = inviteTTL
	}
	token := secret.New(secret.LinkPrefix)
	err := pw.Links.AddLink(ctx, secret.Hash(token), accountID, pw.Env.Now().Add(ttl))
	return pw.Env.Issuer + "/signin?link=" + token, err
}

// linked returns the account of a link, or ErrNotFound. It does not use the link up: programs open
// links, too, to preview them.
func (pw *Passwords) linked(ctx context.Context, token string) (*oauth.Account, error) {
	if pw.Off || !secret.Is(token, secret.LinkPrefix) {
		return nil, oauth.ErrNotFound
	}
	return pw.Links.LinkedAccount(ctx, secret.Hash(token), pw.Env.Now())
}

// useLink uses up the link of a form and returns its account, which has this browser as a device then.
// An invited person has chosen in the form how to sign in. What is refused uses up nothing.
func (pw *Passwords) useLink(
	w http.ResponseWriter, r *http.Request, f endpoint.Form,
) (*oauth.Account, error) {
	ctx := r.Context()
	a, err := pw.linked(ctx, f.Get("link"))
	invited := err == nil && a.Invited()
	var key *webauthn.Credential
	if invited {
		key, err = pw.choose(r, f, a)
	}
	if err == nil {
		err = pw.Links.TakeLink(ctx, secret.Hash(f.Get("link")))
	}
	if errors.Is(err, oauth.ErrNotFound) {
		return nil, pw.wrongLink(r, err)
	}
	if err == nil && key != nil {
		err = pw.Passkeys.keep(ctx, a.ID, "Passkey", key)
	}
	if err == nil && invited {
		err = pw.Accounts.Store.SetPassword(ctx, a.ID, a.Password, time.Time{})
	}
	if err != nil {
		return nil, err
	}

	pw.Env.AuditAccount(r, oauth.EventLink, a, "used")
	return a, pw.remember(w, r, a)
}

// wrongLink counts a link that does not work, and says so.
func (pw *Passwords) wrongLink(r *http.Request, err error) error {
	if e := pw.Env.CountRefusal(r, "link"); e != nil {
		return tooManyAttempts(e.RetryAfter, e.Quota)
	}
	pw.Env.AuditFailedSignIn(r, "wrong sign-in link")
	return linkProblem(err)
}

// choose sets the password that an invited person chose, or a random one beside the passkey that it
// returns.
func (pw *Passwords) choose(
	r *http.Request, f endpoint.Form, a *oauth.Account,
) (key *webauthn.Credential, err error) {
	password := f.Get("password")
	if f.Get("passkey") != "" {
		password = secret.New("")
		key, err = pw.Passkeys.create(r.Context(), a.ID, f.Get("handle"), f.Get("passkey"))
		if err != nil {
			return nil, err
		}
	}
	fresh, err := pw.Accounts.newAccount(
		r.Context(), caller{key: pw.Env.Network(r)}, a.Name, password,
	)
	if err != nil {
		return nil, passwordRefusal(err)
	}
	a.Password = fresh.Password
	return key, nil
}

// linkProblem explains ErrNotFound, and returns any other error as it is.
func linkProblem(err error) error {
	if !errors.Is(err, oauth.ErrNotFound) {
		return err
	}
	p := endpoint.BadLink("bad_sign_in_link", "It has been used, or it has expired.")
	p.Status = http.StatusForbidden
	p.Remedy = "Ask the people who run this server for a new one."
	return p
}
