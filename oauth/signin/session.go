package signin

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/secret"
)

// Sessions manages browser sessions.
type Sessions struct {
	Store    SessionStore
	Passkeys *Passkeys
	TTL      time.Duration
	Env      *endpoint.Env
}

// sessionCookie names the cookie of a signed-in browser.
const sessionCookie = "rialto-session"

// Current returns the session of the browser, or nil if it is not signed in.
func (ss *Sessions) Current(r *http.Request) (*oauth.Session, error) {
	value := ss.Env.Cookie(r, sessionCookie)
	if value == "" {
		return nil, nil
	}
	now := ss.Env.Now()
	session, err := ss.Store.Session(r.Context(), secret.Hash(value), now)
	if errors.Is(err, oauth.ErrNotFound) {
		return nil, nil
	}
	if err == nil && now.Sub(session.Seen) > seenEvery {
		ss.recordUse(r.Context(), session, now)
	}
	return session, err
}

const (
	seenEvery   = 5 * time.Minute // how often the use of a session is recorded
	seenTimeout = time.Second     // for the database to do that
)

// recordUse records that a session was used. A request does not fail if that fails.
func (ss *Sessions) recordUse(ctx context.Context, session *oauth.Session, now time.Time) {
	ctx, cancel := context.WithTimeout(ctx, seenTimeout)
	defer cancel()
	err := ss.Store.SawSession(ctx, session.Hash, now)
	if err != nil {
		ss.Env.Log.WarnContext(ctx, "oauth: recording the use of a session", "err", err)
	}
}

// maxUserAgent bounds what is kept of the name of a browser, in bytes.
const maxUserAgent = 300

// Start signs a browser in. The session is always a new one, and the old one ends (session
// fixation). Grants given in it end at until, unless that is zero.
func (ss *Sessions) Start(
	w http.ResponseWriter,
	r *http.Request,
	a *oauth.Account,
	until time.Time,
) (*oauth.Session, error) {
	if err := ss.End(w, r); err != nil {
		return nil, err
	}

	value := secret.New("")
	now := ss.Env.Now()
	agent := r.UserAgent()
	session := &oauth.Session{
		Hash:        secret.Hash(value),
		AccountID:   a.ID,
		Name:        a.Name,
		Admin:       a.Admin,
		UseCases:    a.UseCases,
		Issuer:      a.Issuer,
		Network:     ss.Env.WideNetwork(r),
		UserAgent:   strings.ToValidUTF8(agent[:min(len(agent), maxUserAgent)], ""),
		Seen:        now,
		Proved:      now,
		Created:     now,
		Expires:     now.Add(ss.TTL),
		GrantsUntil: until,
	}
	if err := ss.Store.AddSession(r.Context(), session); err != nil {
		return nil, err
	}

	ss.Env.SetCookie(w, sessionCookie, value, ss.TTL)
	ss.Env.Log.InfoContext(
		r.Context(), "oauth: signed in",
		"user", a.ID,
		"address", ss.Env.Address(r),
	)
	ss.Env.AuditAccount(r, oauth.EventSignIn, a, a.Issuer)
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

// Require passes requests of signed-in browsers on to next, with their
// Principal in the context: they may use the tools within the use cases of the
// account. It sends others to the sign-in page, which leads back.
func (ss *Sessions) Require(next http.Handler) http.Handler {
	return ss.browser(next, http.HandlerFunc(ss.askSignIn))
}

// RequireForPage is Require for pages whose forms post to their own address: a person whose session
// has ended when posting comes back to the page, and not to the home page.
func (ss *Sessions) RequireForPage(next http.Handler) http.Handler {
	return ss.browser(next, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ss.sendToSignIn(w, r, r.URL.RequestURI())
	}))
}

// Optional passes every request on to next, with the Principal in the context
// if the browser is signed in.
func (ss *Sessions) Optional(next http.Handler) http.Handler { return ss.browser(next, next) }

// browser calls next for signed-in browsers, with the Principal in the context,
// and signedOut for others.
func (ss *Sessions) browser(next, signedOut http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := ss.Env.CheckOrigin(r); err != nil {
			ss.Env.WriteProblem(w, r, err)
			return
		}
		session, missing, err := ss.admit(r)
		switch {
		case err != nil:
			ss.Env.WriteProblem(w, r, err)
		case session == nil:
			signedOut.ServeHTTP(w, r)
		case missing:
			http.Redirect(w, r, ss.Env.Path(passkeysPage), http.StatusSeeOther)
		default:
			p := oauth.Principal{
				User:    session.AccountID,
				Name:    session.Name,
				Scope:   oauth.ScopeSet{oauth.ScopeTools}.Within(session.UseCases),
				Expires: session.Expires,
			}
			if session.Admin {
				p.Scope = p.Scope.With(oauth.ScopeAdmin)
			}
			next.ServeHTTP(w, r.WithContext(oauth.NewContext(r.Context(), p)))
		}
	})
}

// passkeysPage is where people add passkeys (bridge/console).
const passkeysPage = "/account/passkeys"

// admit returns the session of a request, and tells whether a page must wait until the account has a
// passkey.
func (ss *Sessions) admit(r *http.Request) (session *oauth.Session, missing bool, err error) {
	r, cancel := endpoint.WithWaitTimeout(r)
	defer cancel()
	session, err = ss.Current(r)
	if err != nil || session == nil || strings.HasPrefix(r.URL.Path, passkeysPage) {
		return session, false, err
	}
	missing, err = ss.Passkeys.Missing(r.Context(), session)
	return session, missing, err
}

// RequireAdmin passes requests of administrators on to next. Other signed-in
// users get the same refusal for every page, whether or not it exists.
func (ss *Sessions) RequireAdmin(next http.Handler) http.Handler {
	return ss.Require(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p, _ := oauth.FromContext(r.Context()); !p.Has(oauth.ScopeAdmin) {
			ss.Env.WriteProblem(w, r, errNoAdmin())
			return
		}
		next.ServeHTTP(w, r)
	}))
}

func errNoAdmin() *oauth.Problem {
	return &oauth.Problem{
		Code:   "not_an_administrator",
		Status: http.StatusForbidden,
		Title:  "This page is for administrators",
		Detail: "Your account doesn't have that role.",
		Remedy: "Ask an administrator for that role, or sign in with another account.",
	}
}

// askSignIn redirects to the sign-in page, which leads back to the page. After
// a POST it leads to the home page.
func (ss *Sessions) askSignIn(w http.ResponseWriter, r *http.Request) {
	next := "/"
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		next = r.URL.RequestURI()
	}
	ss.sendToSignIn(w, r, next)
}

func (ss *Sessions) sendToSignIn(w http.ResponseWriter, r *http.Request, next string) {
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, ss.Env.Path("/signin")+"?next="+url.QueryEscape(next), http.StatusSeeOther)
}
