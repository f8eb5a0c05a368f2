package signin

import (
	"errors"
	"net/http"
	"time"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/secret"
)

// Sessions manages browser sessions.
type Sessions struct {
	Store SessionStore
	TTL   time.Duration
	Env   *endpoint.Env
}

// sessionCookie names the cookie of a signed-in browser.
const sessionCookie = "rialto-session"

// Current returns the session of the browser, or nil if it is not signed in.
func (ss *Sessions) Current(r *http.Request) (*oauth.Session, error) {
	value := ss.Env.Cookie(r, sessionCookie)
	if value == "" {
		return nil, nil
	}
	session, err := ss.Store.Session(r.Context(), secret.Hash(value), ss.Env.Now())
	if errors.Is(err, oauth.ErrNotFound) {
		return nil, nil
	}
	return session, err
}

// Start signs a browser in. The session is always a new one, and the old one
// ends (session fixation). Grants given in it end at until, unless that is
// zero.
func (ss *Sessions) Start(w http.ResponseWriter, r *http.Request, a *oauth.Account, until time.Time) (*oauth.Session, error) {
	if err := ss.End(w, r); err != nil {
		return nil, err
	}
	value, now := secret.New(""), ss.Env.Now()
	session := &oauth.Session{
		Hash: secret.Hash(value), AccountID: a.ID, Name: a.Name, Admin: a.Admin, UseCases: a.UseCases,
		Created: now, Expires: now.Add(ss.TTL), GrantsUntil: until,
	}
	if err := ss.Store.AddSession(r.Context(), session); err != nil {
		return nil, err
	}
	ss.Env.SetCookie(w, sessionCookie, value, ss.TTL)
	ss.Env.Log.InfoContext(r.Context(), "oauth: signed in", "user", a.ID, "address", ss.Env.Address(r))
	ss.Env.HappenedAt(r, oauth.Event{Kind: oauth.EventSignIn, AccountID: a.ID, Account: a.Name, Detail: a.Issuer})
	return session, nil
}

// End signs the browser out, if it is signed in.
func (ss *Sessions) End(w http.ResponseWriter, r *http.Request) error {
	value := ss.Env.Cookie(r, sessionCookie)
	if value == "" {
		return nil
	}
	ss.Env.SetCookie(w, sessionCookie, "", 0)
	return ss.Store.EndSession(r.Context(), secret.Hash(value))
}
