package oauth

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// ChangePassword gives the account that is signed in another password, if it
// knows the present one, and ends its browser sessions; this browser gets a new
// one. What does not suit it says in words for the page. It is for local
// accounts: the others have no password here.
func (s *Server) ChangePassword(w http.ResponseWriter, r *http.Request, present, next string) (refusal string, err error) {
	ctx := r.Context()
	session, err := s.session(r)
	if err != nil || session == nil {
		return "Sign in to allow this.", err
	}
	a, err := s.signIn(ctx, r, session.Name, present)
	if refused, ok := errors.AsType[*errSignIn](err); ok {
		setRetryAfter(w, refused.after)
		if refused.after > 0 {
			return refused.words, nil
		}
		return "The present password is not right.", nil
	}
	if err != nil {
		return "", err
	}
	return s.replacePassword(ctx, w, r, a, next)
}

func (s *Server) replacePassword(ctx context.Context, w http.ResponseWriter, r *http.Request, a *Account, next string) (refusal string, err error) {
	fresh, err := s.newAccount(ctx, a.Name, next)
	if errors.Is(err, ErrBadPassword) {
		return "This password cannot be used. It needs 8 characters at least.", nil
	}
	if err == nil {
		err = s.Store.SetPassword(ctx, a.ID, fresh.Password)
	}
	if err == nil {
		_, err = s.startSession(w, r, a, time.Time{})
	}
	return "", err
}
