package oauth

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"time"
)

// setupTTL is how long the code for the first account works.
const setupTTL = time.Hour

// OpenSetup returns a code with which somebody who reaches the sign-in page may
// make the first account, once and within an hour, and "" if there is an
// account already. A code that was given before no longer works. Whoever has
// the code becomes the operator here: it must be shown to nobody else.
func (s *Server) OpenSetup(ctx context.Context) (code string, expires time.Time, err error) {
	code, expires = newSetupCode(), s.Now().Add(setupTTL)
	err = s.Store.OpenSetup(ctx, hash(plainCode(code)), expires)
	if errors.Is(err, ErrExists) {
		return "", time.Time{}, nil
	}
	return code, expires, err
}

// newSetupCode returns 100 random bits as people can copy them by hand.
func newSetupCode() string {
	t := rand.Text()
	return t[:5] + "-" + t[5:10] + "-" + t[10:15] + "-" + t[15:20]
}

// plainCode brings a code that somebody typed into one form.
func plainCode(code string) string {
	return strings.ToUpper(strings.NewReplacer("-", "", " ", "").Replace(code))
}

// settingUp tells whether the first account is to be made.
func (s *Server) settingUp(ctx context.Context) (bool, error) {
	if s.NoPasswords {
		return false, nil
	}
	return s.Store.SetupOpen(ctx, s.Now())
}

// answerSetup makes the first account, an administrator's, of what the sign-in
// page sent, and signs its owner in.
func (s *Server) answerSetup(w http.ResponseWriter, r *http.Request, f form) {
	a, err := s.firstAccount(r.Context(), r, f)
	s.enter(w, r, f, a, err)
}

// firstAccount records the first account. Guesses of the code are counted for
// all addresses together: there is one code for them all.
func (s *Server) firstAccount(ctx context.Context, r *http.Request, f form) (*Account, error) {
	if s.NoPasswords {
		return nil, errNoPasswords()
	}
	const key = "setup"
	now := s.Now()
	if wait := s.failures.wait(key, now); wait > 0 {
		return nil, &errSignIn{"Too many attempts. Wait a little and try again.", wait}
	}
	before := s.failures.add(key, freeAttempts, now)
	a, err := s.newAccount(ctx, f.get("username"), f.get("password"))
	switch {
	case errors.Is(err, ErrBadName):
		s.failures.forgive(key, before)
		return nil, &errSignIn{words: "This username cannot be used. Take letters, digits and punctuation, without spaces."}
	case errors.Is(err, ErrBadPassword):
		s.failures.forgive(key, before)
		return nil, &errSignIn{words: "This password cannot be used. It needs 8 characters at least."}
	case err != nil:
		return nil, err
	}
	a.Admin = true // whoever has the code is the operator
	err = s.Store.AddFirstAccount(ctx, hash(plainCode(f.get("code"))), a, now)
	if errors.Is(err, ErrNotFound) {
		s.Log.WarnContext(ctx, "oauth: setup code refused", "address", s.address(r))
		s.happenedAt(r, Event{Kind: EventSignIn, Outcome: EventFailed, Detail: "wrong setup code"})
		return nil, &errSignIn{words: "The setup code is wrong, or it has expired. The server shows a new one when it starts."}
	}
	if errors.Is(err, ErrExists) {
		return nil, &errSignIn{words: "This username is taken by somebody who signs in elsewhere. Take another."}
	}
	if err != nil {
		return nil, err
	}
	s.failures.failed.drop(key)
	s.happenedAt(r, Event{Kind: EventAccount, AccountID: a.ID, Account: a.Name, Detail: "with the setup code"})
	s.Log.InfoContext(ctx, "oauth: first account made", "user", a.ID, "address", s.address(r))
	return a, nil
}
