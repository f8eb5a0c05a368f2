package signin

import (
	"context"
	"errors"
	"net/http"
	"time"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
)

// ChangePassword changes the password of the signed-in account, which must be
// local, and ends its browser sessions; this browser gets a new one. refusal
// says in words for the page why it did not.
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
