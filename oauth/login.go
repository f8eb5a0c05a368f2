package oauth

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
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

// returned decides about a browser that comes back. Everything that costs
// nothing is checked first; the login is used up by whoever completes it, so
// that an outage of the provider loses nothing.
func (s *Server) returned(w http.ResponseWriter, r *http.Request) (*Login, *Session, error) {
	if err := s.limitAuthorize(r); err != nil {
		return nil, nil, err
	}
	if len(r.URL.RawQuery) > maxQuery {
		return nil, nil, badLink(http.StatusRequestURITooLong, "The request is too long.")
	}
	f, err := parseForm(r.URL.RawQuery)
	if err != nil {
		return nil, nil, badLink(http.StatusBadRequest, asDescription(err))
	}
	p := s.provider(mux.Vars(r)["provider"])
	if p == nil {
		return nil, nil, badLink(http.StatusNotFound, "There is no identity provider at this address.")
	}
	l, err := s.login(r, p, f.get("state"))
	if err != nil {
		return nil, nil, err
	}
	e, err := s.endpoints(r.Context(), p)
	if err != nil {
		return nil, nil, err
	}
	if iss := f.get("iss"); iss != p.Issuer.URL && (iss != "" || e.Iss) {
		return nil, nil, badLink(http.StatusBadRequest, "Another identity provider answered than the one that was asked.")
	}
	if code := f.get("error"); code != "" {
		return l, nil, s.refusedThere(w, r, p, l, code)
	}
	if f.get("code") == "" {
		return nil, nil, badLink(http.StatusBadRequest, "The identity provider's answer was not complete.")
	}
	a, err := s.whoReturnedOnce(r.Context(), p, e, f)
	if err != nil {
		return nil, nil, s.asLogin(r, p, l, err)
	}
	session, err := s.completeLogin(w, r, p, l, a)
	return l, session, err
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

// refusedThere ends a login that the provider, or the person there, refused.
func (s *Server) refusedThere(w http.ResponseWriter, r *http.Request, p *Provider, l *Login, code string) error {
	if err := s.Store.TakeLogin(r.Context(), l.State); err != nil {
		return asFinished(err)
	}
	s.setCookie(w, loginCookie(l.State), "", 0)
	s.happenedAt(r, Event{Kind: EventSignIn, Outcome: EventFailed, Detail: "refused at " + p.ID})
	s.Log.InfoContext(r.Context(), "oauth: sign-in refused by the provider", "provider", p.ID, "code", cleanName(code))
	return nil
}

// completeLogin signs the person in.
func (s *Server) completeLogin(w http.ResponseWriter, r *http.Request, p *Provider, l *Login, a *Account) (*Session, error) {
	if err := s.Store.TakeLogin(r.Context(), l.State); err != nil {
		return nil, asFinished(err)
	}
	s.setCookie(w, loginCookie(l.State), "", 0)
	return s.startSession(w, r, a, s.Now().Add(p.lifetime()))
}

func asFinished(err error) error {
	if errors.Is(err, ErrNotFound) {
		return badLink(http.StatusBadRequest, "This sign-in has been finished already.")
	}
	return err
}
