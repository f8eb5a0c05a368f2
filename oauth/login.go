package oauth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/gorilla/mux"
	"golang.org/x/oauth2"

	"rialto/templates"
)

// loginTTL is how long a browser may stay at an identity provider.
const loginTTL = 10 * time.Minute

// sendToProvider sends a browser to an identity provider. What the person has
// allowed goes along in l, in the store: they cannot be brought back having
// allowed something else, and nothing was allowed by who did not see our page
// (MCP authorization, "Confused Deputy"). State, nonce and PKCE verifier come
// of one secret, of which the store knows a hash.
func (s *Server) sendToProvider(w http.ResponseWriter, r *http.Request, p *Provider, l Login, again bool) error {
	if err := s.limitAuthorize(r); err != nil { // each is a row
		return err
	}
	e, err := s.endpoints(r.Context(), p)
	if err != nil {
		return err
	}
	state, browser := secret(""), secret("")
	l.State, l.Browser, l.Provider, l.Expires = hash(state), hash(browser), p.ID, s.Now().Add(loginTTL)
	if err := s.Store.AddLogin(r.Context(), &l); err != nil {
		return err
	}
	options := []oauth2.AuthCodeOption{
		oauth2.SetAuthURLParam("nonce", s.derived("login nonce", state)),
		oauth2.S256ChallengeOption(s.derived("login verifier", state)),
	}
	if again {
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"))
	}
	s.setCookie(w, loginCookie(l.State), browser, loginTTL)
	templates.Write(w, r, http.StatusOK, templates.Leave{
		Product:  s.Name,
		Provider: p.name(),
		URL:      s.clientOf(p, e).AuthCodeURL(state, options...),
	})
	return nil
}

// loginCookie names the cookie of the login under the hash of a state.
func loginCookie(state string) string { return "rialto-login-" + state[:12] }

// derived returns a secret that belongs to another one, for one purpose.
func (s *Server) derived(purpose, from string) string {
	mac := hmac.New(sha256.New, s.Secret)
	mac.Write([]byte(purpose + " " + from))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// providerCallback takes people back whom a provider has signed in.
func (s *Server) providerCallback(w http.ResponseWriter, r *http.Request) {
	if err := s.returned(w, r); err != nil {
		s.writeProblem(w, r, err)
	}
}

// returned decides about a browser that comes back. Everything that costs
// nothing is checked first; the login is used up by whoever completes it, so
// that an outage of the provider loses nothing.
func (s *Server) returned(w http.ResponseWriter, r *http.Request) error {
	if err := s.limitAuthorize(r); err != nil {
		return err
	}
	if len(r.URL.RawQuery) > maxQuery {
		return badLink(http.StatusRequestURITooLong, "The request is too long.")
	}
	f, err := parseForm(r.URL.RawQuery)
	if err != nil {
		return badLink(http.StatusBadRequest, asDescription(err))
	}
	p := s.provider(mux.Vars(r)["provider"])
	if p == nil {
		return badLink(http.StatusNotFound, "There is no identity provider at this address.")
	}
	l, err := s.login(r, p, f.get("state"))
	if err != nil {
		return err
	}
	e, err := s.endpoints(r.Context(), p)
	if err != nil {
		return err
	}
	if iss := f.get("iss"); iss != p.Issuer.URL && (iss != "" || e.Iss) {
		return badLink(http.StatusBadRequest, "Another identity provider answered than the one that was asked.")
	}
	if code := f.get("error"); code != "" {
		return s.refusedThere(w, r, p, l, code)
	}
	if f.get("code") == "" {
		return badLink(http.StatusBadRequest, "The identity provider's answer was not complete.")
	}
	a, err := s.whoReturnedOnce(r.Context(), p, e, f)
	if err != nil {
		return s.asLogin(r, p, l, err)
	}
	return s.completeLogin(w, r, p, l, a)
}

// login returns what a browser was sent away for, if it is this browser and
// this provider.
func (s *Server) login(r *http.Request, p *Provider, state string) (*Login, error) {
	l, err := s.Store.Login(r.Context(), hash(state), s.Now())
	switch {
	case errors.Is(err, ErrNotFound):
		return nil, badLink(http.StatusBadRequest, "This sign-in has been finished already, or it has waited too long.")
	case err != nil:
		return nil, err
	case !same(hash(s.cookie(r, loginCookie(l.State))), l.Browser):
		return nil, errCrossSite()
	case l.Provider != p.ID:
		return nil, badLink(http.StatusBadRequest, "Another identity provider answered than the one that was asked.")
	}
	return l, nil
}

// whoReturnedOnce lets requests that come back with the same answer at the same
// time wait for one exchange, which goes on when the first of them hangs up: a
// browser that loads the page again gives its first request up, with the code.
func (s *Server) whoReturnedOnce(ctx context.Context, p *Provider, e *endpoints, f form) (*Account, error) {
	a, err, _ := s.returning.Do(hash(p.ID+" "+f.get("state")+" "+f.get("code")), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		return s.whoReturned(ctx, p, e, f)
	})
	if err != nil {
		return nil, err
	}
	return a.(*Account), nil
}

// whoReturned finds out who signed in at the provider.
func (s *Server) whoReturned(ctx context.Context, p *Provider, e *endpoints, f form) (*Account, error) {
	claims, access, err := s.idToken(ctx, p, e, f.get("code"), f.get("state"))
	if err == nil {
		err = s.withUserInfo(ctx, p, e, claims, access)
	}
	if err != nil {
		return nil, err
	}
	a, err := p.person(claims)
	if err != nil {
		return nil, err
	}
	return s.identify(ctx, a, true)
}

// asLogin explains why a login failed. An outage leaves it open, and so does a
// code that the provider refuses: another replica may have redeemed it just now
// and is about to complete the login.
func (s *Server) asLogin(r *http.Request, p *Provider, l *Login, err error) error {
	ctx := r.Context()
	if down, ok := errors.AsType[*errUnreachable](err); ok {
		s.Log.WarnContext(ctx, "oauth: provider does not answer", "provider", p.ID, "error", down.err)
		return err
	}
	if _, refused := errors.AsType[*errCodeRefused](err); !refused {
		if err := s.Store.TakeLogin(ctx, l.State); err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	if away, ok := errors.AsType[*errTurnedAway](err); ok {
		s.Log.InfoContext(ctx, "oauth: sign-in refused", "provider", p.ID, "reason", away.words)
		s.happenedAt(r, Event{Kind: EventSignIn, Outcome: EventFailed, Detail: "turned away after " + p.ID})
		return &problem{
			status: http.StatusForbidden,
			title:  "You cannot sign in with this account",
			detail: away.words,
			remedy: "Go back and use another account, or ask the people who run this server.",
		}
	}
	s.happenedAt(r, Event{Kind: EventSignIn, Outcome: EventFailed, Detail: "the answer of " + p.ID + " cannot be trusted"})
	s.Log.WarnContext(ctx, "oauth: answer of a provider refused", "provider", p.ID, "error", err)
	return &problem{
		status: http.StatusForbidden,
		title:  "The sign-in did not work",
		detail: "The identity provider's answer is not one that can be trusted.",
		remedy: "Go back to the app and start again. If it happens again, tell the people who run this server.",
	}
}

// refusedThere tells the client no when the provider did, or the person there.
func (s *Server) refusedThere(w http.ResponseWriter, r *http.Request, p *Provider, l *Login, code string) error {
	if err := s.Store.TakeLogin(r.Context(), l.State); err != nil {
		return asFinished(err)
	}
	s.setCookie(w, loginCookie(l.State), "", 0)
	s.happenedAt(r, Event{Kind: EventSignIn, Outcome: EventFailed, Detail: "refused at " + p.ID})
	s.Log.InfoContext(r.Context(), "oauth: sign-in refused by the provider", "provider", p.ID, "code", cleanName(code))
	if l.Handle == "" {
		s.signInPage(w, r, http.StatusForbidden, templates.SignIn{Next: safeNext(l.Next), Error: "The identity provider did not sign you in."})
		return nil
	}
	q, err := s.allowedBefore(r, l)
	if err != nil {
		return err
	}
	if err := s.Store.Deny(r.Context(), q.req.Handle); err != nil {
		return asAnswered(err)
	}
	return s.goBack(w, r, q, true, param{"error", "access_denied"}, param{"error_description", "The person was not signed in."})
}

// completeLogin signs the person in and does what they were sent away for.
func (s *Server) completeLogin(w http.ResponseWriter, r *http.Request, p *Provider, l *Login, a *Account) error {
	if err := s.Store.TakeLogin(r.Context(), l.State); err != nil {
		return asFinished(err)
	}
	s.setCookie(w, loginCookie(l.State), "", 0)
	session, err := s.startSession(w, r, a, s.Now().Add(p.lifetime()))
	if err != nil {
		return err
	}
	if l.Handle == "" {
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, safeNext(l.Next), http.StatusSeeOther)
		return nil
	}
	q, err := s.allowedBefore(r, l)
	if err != nil {
		return err
	}
	q.ticked = slices.Clone(l.Scope)
	return s.approveAs(w, r, q, session)
}

// allowedBefore returns the request that the person allowed before they left.
func (s *Server) allowedBefore(r *http.Request, l *Login) (ask, error) {
	return s.waitingAt(r.Context(), r, l.Handle)
}

func asFinished(err error) error {
	if errors.Is(err, ErrNotFound) {
		return badLink(http.StatusBadRequest, "This sign-in has been finished already.")
	}
	return err
}
