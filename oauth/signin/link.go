package signin

import (
	"context"
	"errors"
	"net/http"
	"time"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/secret"
)

// linkTTL is how long a sign-in link works.
const linkTTL = time.Hour

// NewLink returns a link that signs a local account in, once and within an hour, and ends an older
// one. Show it only to the operator.
func (pw *Passwords) NewLink(ctx context.Context, accountID string) (string, error) {
	if pw.Off {
		return "", noPasswords()
	}
	token := secret.New(secret.LinkPrefix)
	err := pw.Links.AddLink(ctx, secret.Hash(token), accountID, pw.Env.Now().Add(linkTTL))
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

// useLink uses a link up and returns its account, which has this browser as a device then.
func (pw *Passwords) useLink(
	w http.ResponseWriter, r *http.Request, token string,
) (*oauth.Account, error) {
	a, err := pw.linked(r.Context(), token)
	if err == nil {
		err = pw.Links.TakeLink(r.Context(), secret.Hash(token))
	}
	if errors.Is(err, oauth.ErrNotFound) {
		if e := pw.Env.CountRefusal(r, "link"); e != nil {
			return nil, tooManyAttempts(e.RetryAfter, e.Quota)
		}
		pw.Env.AuditFailedSignIn(r, "wrong sign-in link")
	}
	if err != nil {
		return nil, linkProblem(err)
	}

	pw.Env.Audit(r, oauth.Event{
		Kind:      oauth.EventLink,
		AccountID: a.ID,
		Account:   a.Name,
		Detail:    "used",
	})
	return a, pw.remember(w, r, a)
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
