package signin

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/gorilla/mux"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"

	"rialto/oauth"
	"rialto/oauth/client"
	"rialto/oauth/internal/cache"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/secret"
	"rialto/oauth/token"
	"rialto/templates"
)

// Providers signs people in at identity providers (OpenID Connect Core 1.0).
type Providers struct {
	List       []*Provider
	Secret     []byte
	Store      LoginStore
	Issuers    *token.Issuers
	Identities *token.Identities
	Sessions   *Sessions
	Endpoints  *cache.Fetched[*Endpoints] // by provider
	Env        *endpoint.Env

	returning singleflight.Group
}

// loginTTL is how long a browser may stay at an identity provider.
const loginTTL = 10 * time.Minute

// Send sends a browser to an identity provider. The store keeps in l what the person approved on
// our page before, so that a callback cannot approve anything else (MCP authorization, "Confused
// Deputy"). State, nonce and PKCE verifier derive from one secret; the store has its hash.
func (pv *Providers) Send(
	w http.ResponseWriter,
	r *http.Request,
	p *Provider,
	l oauth.Login,
	again bool,
) error {
	if err := pv.Env.AllowPage(endpoint.ToProvider, r); err != nil { // each is a row
		return err
	}

	e, err := pv.endpointsFor(r.Context(), p)
	if err != nil {
		return err
	}

	state := secret.New("")
	browser := secret.New("")
	l.State = secret.Hash(state)
	l.Browser = secret.Hash(browser)
	l.Provider = p.ID
	l.Expires = pv.Env.Now().Add(loginTTL)
	if err := pv.Store.AddLogin(r.Context(), &l); err != nil {
		return err
	}

	options := []oauth2.AuthCodeOption{
		oauth2.SetAuthURLParam("nonce", pv.derived("login nonce", state)),
		oauth2.S256ChallengeOption(pv.derived("login verifier", state)),
	}
	if again {
		options = append(options, oauth2.SetAuthURLParam("prompt", "login"))
	}

	pv.Env.SetCookie(w, loginCookie(l.State), browser, loginTTL)
	templates.Write(w, r, http.StatusOK, templates.Leave{
		Product:  pv.Env.Name,
		Provider: p.name(),
		URL:      pv.clientOf(p, e).AuthCodeURL(state, options...),
	})
	return nil
}

// loginCookie names the cookie of the login under the hash of a state.
func loginCookie(state string) string { return "rialto-login-" + state[:12] }

// derived returns a secret that belongs to another one, for one purpose.
func (pv *Providers) derived(purpose, from string) string {
	return secret.MAC(pv.Secret, purpose+" "+from)
}

// Return checks a browser that comes back, and signs it in. The session is nil
// if the provider refused. Cheap checks come first. The login is used up only
// when it is completed, so that an outage of the provider loses nothing.
func (pv *Providers) Return(
	w http.ResponseWriter, r *http.Request,
) (*oauth.Login, *oauth.Session, error) {
	if len(r.URL.RawQuery) > endpoint.MaxQuery {
		tooLong := endpoint.BadLink("request_too_long", "The request is too long.")
		tooLong.Status = http.StatusRequestURITooLong
		return nil, nil, tooLong
	}

	f, err := endpoint.ParseForm(r.URL.RawQuery)
	if err != nil {
		return nil, nil, endpoint.BadLink("bad_request", endpoint.Description(err))
	}

	p := pv.Find(mux.Vars(r)["provider"])
	if p == nil {
		unknown := endpoint.BadLink(
			"unknown_provider", "There is no identity provider at this address.",
		)
		unknown.Status = http.StatusNotFound
		return nil, nil, unknown
	}

	l, err := pv.login(r, p, f.Get("state"))
	if err != nil {
		return nil, nil, err
	}
	if err := pv.Env.AllowPage(
		endpoint.Callback, r,
	); err != nil { // each may be a request to the provider
		return nil, nil, err
	}

	e, err := pv.endpointsFor(r.Context(), p)
	if err != nil {
		return nil, nil, err
	}
	if iss := f.Get("iss"); iss != p.Issuer.URL && (iss != "" || e.Iss) {
		return nil, nil, endpoint.BadLink(
			"wrong_provider", "Another identity provider answered than the one that was asked.",
		)
	}
	if code := f.Get("error"); code != "" {
		return l, nil, pv.refusedThere(w, r, p, l, code)
	}
	if f.Get("code") == "" {
		return nil, nil, endpoint.BadLink(
			"incomplete_answer", "The identity provider's answer wasn't complete.",
		)
	}

	a, err := pv.identifyOnce(r.Context(), p, e, f)
	if err != nil {
		return nil, nil, pv.loginFailed(r, p, l, err)
	}

	session, err := pv.completeLogin(w, r, p, l, a)
	return l, session, err
}

// login returns the login under a state, if browser and provider are the same.
func (pv *Providers) login(r *http.Request, p *Provider, state string) (*oauth.Login, error) {
	l, err := pv.Store.Login(r.Context(), secret.Hash(state), pv.Env.Now())
	switch {
	case err != nil:
		return nil, oauth.IfNotFound(err, endpoint.BadLink(
			"sign_in_expired", "This sign-in has been finished already, or it has waited too long.",
		))
	case !secret.Same(secret.Hash(pv.Env.Cookie(r, loginCookie(l.State))), l.Browser):
		return nil, endpoint.CrossSite()
	case l.Provider != p.ID:
		return nil, endpoint.BadLink(
			"wrong_provider", "Another identity provider answered than the one that was asked.",
		)
	}

	return l, nil
}

// identifyOnce lets concurrent requests with the same answer share one
// exchange, which continues when the first hangs up: a browser that reloads the
// page aborts its first request, whose code is used up.
func (pv *Providers) identifyOnce(
	ctx context.Context,
	p *Provider,
	e *Endpoints,
	f endpoint.Form,
) (*oauth.Account, error) {
	a, err, _ := pv.returning.Do(secret.Hash(p.ID+" "+f.Get("state")+" "+f.Get("code")), func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endpoint.WaitTimeout)
		defer cancel()
		return pv.identify(ctx, p, e, f)
	})
	if err != nil {
		return nil, err
	}

	return a.(*oauth.Account), nil
}

// identify finds out who signed in at the provider.
func (pv *Providers) identify(
	ctx context.Context,
	p *Provider,
	e *Endpoints,
	f endpoint.Form,
) (*oauth.Account, error) {
	claims, access, err := pv.idToken(ctx, p, e, f.Get("code"), f.Get("state"))
	if err == nil {
		err = pv.withUserInfo(ctx, p, e, claims, access)
	}
	if err != nil {
		return nil, err
	}

	a, err := p.person(claims)
	if err != nil {
		return nil, err
	}

	return pv.Identities.Identify(ctx, a, true)
}

// loginFailed explains why a login failed. It leaves the login open after an
// outage, and after a refused code: another replica may have redeemed the code
// just now and be about to complete the login.
func (pv *Providers) loginFailed(r *http.Request, p *Provider, l *oauth.Login, err error) error {
	ctx := r.Context()
	if down, ok := errors.AsType[*token.ErrUnreachable](err); ok {
		pv.Env.Log.WarnContext(
			ctx, "oauth: provider does not answer",
			"provider", p.ID,
			"error", down.Err,
		)
		return err
	}
	if _, refused := errors.AsType[*errCodeRefused](err); !refused {
		if err := oauth.IfNotFound(pv.Store.TakeLogin(ctx, l.State), nil); err != nil {
			return err
		}
	}
	if away, ok := errors.AsType[*token.ErrSignInDenied](err); ok {
		pv.Env.Log.InfoContext(
			ctx, "oauth: sign-in refused",
			"provider", p.ID,
			"reason", away.Reason,
		)
		pv.Env.AuditFailedSignIn(r, "turned away; "+p.ID)
		return &oauth.Problem{
			Code:   "sign_in_denied",
			Status: http.StatusForbidden,
			Title:  "You can't sign in with this account",
			Detail: away.Reason,
			Remedy: "Go back and use another account, or ask the people who run this server.",
		}
	}

	pv.Env.AuditFailedSignIn(r, "the answer can't be trusted; "+p.ID)
	pv.Env.Log.WarnContext(
		ctx, "oauth: answer of a provider refused",
		"provider", p.ID,
		"error", err,
	)
	return &oauth.Problem{
		Code:   "sign_in_failed",
		Status: http.StatusForbidden,
		Title:  "The sign-in didn't work",
		Detail: "The identity provider's answer isn't one that can be trusted.",
		Remedy: "Go back to the app and start again. If it happens again, tell the people who run this server.",
	}
}

// refusedThere ends a login that the provider, or the person there, refused.
func (pv *Providers) refusedThere(
	w http.ResponseWriter,
	r *http.Request,
	p *Provider,
	l *oauth.Login,
	code string,
) error {
	if err := pv.Store.TakeLogin(r.Context(), l.State); err != nil {
		return asFinished(err)
	}

	pv.Env.SetCookie(w, loginCookie(l.State), "", 0)
	pv.Env.AuditFailedSignIn(r, "refused; "+p.ID)
	pv.Env.Log.InfoContext(
		r.Context(), "oauth: sign-in refused by the provider",
		"provider", p.ID,
		"code", client.CleanName(code),
	)
	return nil
}

// completeLogin signs the person in.
func (pv *Providers) completeLogin(
	w http.ResponseWriter,
	r *http.Request,
	p *Provider,
	l *oauth.Login,
	a *oauth.Account,
) (*oauth.Session, error) {
	if err := pv.Store.TakeLogin(r.Context(), l.State); err != nil {
		return nil, asFinished(err)
	}

	pv.Env.SetCookie(w, loginCookie(l.State), "", 0)
	return pv.Sessions.Start(w, r, a, pv.Env.Now().Add(p.lifetime()))
}

func asFinished(err error) error {
	return oauth.IfNotFound(
		err, endpoint.BadLink("sign_in_expired", "This sign-in has been finished already."),
	)
}
