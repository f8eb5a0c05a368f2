package oauth

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// sessionCookie names the cookie of a signed-in browser.
const sessionCookie = "rialto-session"

// cookieName puts the prefix before a name that makes browsers refuse the
// cookie from anywhere but this very host over TLS. A loopback issuer does
// without: browsers drop Secure cookies there, and some refuse the prefix.
func (s *Server) cookieName(name string) string {
	if s.secure() {
		return "__Host-" + name
	}
	return name
}

// setCookie sets a cookie that scripts cannot read and that other sites'
// forms do not carry. A life of zero removes it.
func (s *Server) setCookie(w http.ResponseWriter, name, value string, life time.Duration) {
	age := int(life / time.Second)
	if age <= 0 {
		age = -1
	}
	http.SetCookie(w, &http.Cookie{
		Name:     s.cookieName(name),
		Value:    value,
		Path:     "/",
		MaxAge:   age,
		Secure:   s.secure(),
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
	})
}

// cookie returns the value of one of our cookies, or "".
func (s *Server) cookie(r *http.Request, name string) string {
	c, err := r.Cookie(s.cookieName(name))
	if err != nil || !isSecret(c.Value, "") {
		return ""
	}
	return c.Value
}

// session returns the session of the browser, or nil if nobody is signed in.
func (s *Server) session(r *http.Request) (*Session, error) {
	value := s.cookie(r, sessionCookie)
	if value == "" {
		return nil, nil
	}
	session, err := s.Store.Session(r.Context(), hash(value), s.Now())
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	return session, err
}

// startSession signs a browser in. The session is always a new one, and the
// old one ends: nobody can have planted it (session fixation). Grants given in
// it end at until, unless that is zero.
func (s *Server) startSession(w http.ResponseWriter, r *http.Request, a *Account, until time.Time) (*Session, error) {
	if err := s.endSession(w, r); err != nil {
		return nil, err
	}
	value, now := secret(""), s.Now()
	session := &Session{
		Hash: hash(value), AccountID: a.ID, Name: a.Name, Admin: a.Admin, UseCases: a.UseCases,
		Created: now, Expires: now.Add(s.SessionTTL), GrantsUntil: until,
	}
	if err := s.Store.AddSession(r.Context(), session); err != nil {
		return nil, err
	}
	s.setCookie(w, sessionCookie, value, s.SessionTTL)
	s.Log.InfoContext(r.Context(), "oauth: signed in", "user", a.ID, "address", s.address(r))
	s.happenedAt(r, Event{Kind: EventSignIn, AccountID: a.ID, Account: a.Name, Detail: a.Issuer})
	return session, nil
}

// endSession signs the browser out, if it is signed in.
func (s *Server) endSession(w http.ResponseWriter, r *http.Request) error {
	value := s.cookie(r, sessionCookie)
	if value == "" {
		return nil
	}
	s.setCookie(w, sessionCookie, "", 0)
	return s.Store.EndSession(r.Context(), hash(value))
}

// errSignIn is why a sign-in was refused, in words for the page.
type errSignIn struct {
	words string
	after time.Duration
}

func (e *errSignIn) Error() string { return e.words }

func (e *errSignIn) status() int {
	if e.after > 0 {
		return http.StatusTooManyRequests
	}
	return http.StatusForbidden
}

func errNoPasswords() error { return &errSignIn{words: "This server does not take passwords."} }

// signIn finds the account that name and password belong to. It answers an
// unknown name as it does a wrong password, and slows down who guesses: by
// name and address, and by address alone for one who tries many names.
func (s *Server) signIn(ctx context.Context, r *http.Request, name, password string) (*Account, error) {
	if s.NoPasswords {
		return nil, errNoPasswords()
	}
	address, now := s.address(r), s.Now()
	if normal, err := userName(name); err == nil {
		name = normal // however it is spelled, it is one to guess for
	}
	byName, byAddress := hash(name)+" "+address, "any "+address
	if wait := max(s.failures.wait(byName, now), s.failures.wait(byAddress, now)); wait > 0 {
		return nil, &errSignIn{"Too many attempts. Wait a little and try again.", wait}
	}
	// Counted before it is known to fail: guesses that run in parallel would
	// otherwise all be free.
	s.failures.add(byName, freeAttempts, now)
	before := s.failures.add(byAddress, 10*freeAttempts, now)
	a, err := s.account(ctx, name, password)
	if err != nil {
		return nil, err
	}
	if a == nil {
		s.Log.WarnContext(ctx, "oauth: sign-in refused", "address", address)
		s.signInFailed(r, name)
		return nil, &errSignIn{words: "Wrong username or password."}
	}
	s.failures.failed.drop(byName)
	s.failures.forgive(byAddress, before)
	return a, nil
}

// signInFailed tells of a sign-in that was refused. A name that is nobody's is
// not told: it may be a password in the wrong field.
func (s *Server) signInFailed(r *http.Request, name string) {
	e := Event{Kind: EventSignIn, Outcome: EventFailed, Detail: "wrong password"}
	a, err := s.Store.Account(r.Context(), name)
	if err == nil {
		e.AccountID, e.Account = a.ID, a.Name
	} else {
		e.Detail = "no such account"
	}
	s.happenedAt(r, e)
}

// account returns the account that name and password belong to, or nil.
func (s *Server) account(ctx context.Context, name, password string) (*Account, error) {
	var a *Account
	name, err := userName(name)
	if err == nil {
		a, err = s.Store.Account(ctx, name)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return nil, err
		}
	}
	password, err = normalPassword(password)
	if err != nil {
		a = nil
	}
	ok, err := s.checkPassword(ctx, a, password)
	if err != nil || !ok {
		return nil, err
	}
	return a, nil
}
