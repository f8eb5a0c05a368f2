package a2avault

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"rialto/a2a"
)

// attemptTTL is how long a user may stay at an authorization server.
const attemptTTL = 10 * time.Minute

// attempt is what is sealed in an Attempt.
type attempt struct {
	Server server   `json:"server"`
	Host   string   `json:"host"` // of the agent
	Grant  grant    `json:"grant"`
	Scopes []string `json:"scopes"`
}

// Redirect is the redirect of a user to an authorization server.
type Redirect struct {
	URL     string
	Host    string // of URL
	Cookie  string // the name of a cookie,
	Browser string // and its value, by which the browser is known when it comes back
	TTL     time.Duration
}

// Begin starts the sign-in of user at the authorization server of a sign-in method. task continues
// afterwards. retry is set if the user left before and did not return: a server that no
// longer knows our client shows an error page and does not redirect.
func (v *Vault) Begin(
	ctx context.Context,
	app App,
	w SignInMethod,
	user, task string,
	retry bool,
) (*Redirect, error) {
	s, g, err := v.newGrant(ctx, app, w, OAuth, retry)
	if err != nil {
		return nil, err
	}

	a := attempt{
		Server: *s,
		Host:   v.Agents.Host(app.Agent),
		Grant:  g,
		Scopes: app.scopes(w, s),
	}
	sealed, err := v.seal(user, attemptScope(app.Agent), a)
	if err != nil {
		return nil, err
	}

	state := rand.Text()
	browser := rand.Text()
	if err := v.Store.DropAttempts(ctx, v.Now()); err != nil {
		return nil, fmt.Errorf("forgetting attempts: %w", err)
	}

	err = v.Store.AddAttempt(ctx, Attempt{
		State:   digest(state),
		Browser: digest(browser),
		Owner:   user,
		Agent:   app.Agent,
		Task:    task,
		Sealed:  sealed,
		Expires: v.Now().Add(attemptTTL),
	})
	if err != nil {
		return nil, fmt.Errorf("writing an attempt: %w", err)
	}

	options := append(g.resource(), oauth2.S256ChallengeOption(v.verifier(state)))
	if slices.Contains(a.Scopes, offline) {
		options = append(
			options, oauth2.SetAuthURLParam("prompt", "consent"),
		) // OpenID Connect Core 1.0 section 11
	}

	config := v.config(app.Agent, s.Token, g.Client)
	config.Endpoint.AuthURL = s.Authorization
	config.Scopes = a.Scopes
	return &Redirect{
		URL:     config.AuthCodeURL(state, options...),
		Host:    hostOf(s.Authorization),
		Cookie:  CookieOf(state),
		Browser: browser,
		TTL:     attemptTTL,
	}, nil
}

const offline = "offline_access"

// scopes returns the scopes to request: those of the operator or else of the card, and
// offline_access if the server supports it.
func (a App) scopes(w SignInMethod, s *server) []string {
	scopes := slices.Clone(a.Scopes)
	if scopes == nil {
		scopes = slices.Clone(w.scopes)
	}
	if a.Scopes == nil && slices.Contains(s.Scopes, offline) && !slices.Contains(scopes, offline) {
		scopes = append(scopes, offline)
		if slices.Contains(s.Scopes, "openid") && !slices.Contains(scopes, "openid") {
			scopes = append(scopes, "openid") // it means nothing without
		}
	}

	return scopes
}

// CookiePrefix begins the names of the cookies of attempts.
const CookiePrefix = "rialto-connect-"

// CookieOf names the cookie of the attempt with a state.
func CookieOf(state string) string { return CookiePrefix + digest(state)[:12] }

// Response is the authorization response of a browser.
type Response struct {
	State, Code, Issuer, Error string
	Browser                    string // the value of the cookie
}

// The errors of Finish. Nothing is stored then.
var (
	ErrElsewhere = errors.New("the answer belongs to another browser, user or agent")
	ErrIssuer    = errors.New("another server answered than the one that was asked")
	ErrRefused   = errors.New("the authorization server refused")
	ErrDenied    = errors.New("the user, or the authorization server, said no")
)

// Finish redeems the response to an attempt of user, stores the tokens, and returns the
// task to continue. An attempt is used once, whatever the result.
func (v *Vault) Finish(
	ctx context.Context,
	app App,
	user string,
	r Response,
) (task string, err error) {
	known, err := v.Store.TakeAttempt(ctx, digest(r.State), v.Now())
	if err != nil {
		return "", err
	}
	if known.Owner != user || known.Agent != app.Agent ||
		subtle.ConstantTimeCompare([]byte(known.Browser), []byte(digest(r.Browser))) != 1 {
		return "", ErrElsewhere
	}

	var a attempt
	if err := v.open(user, attemptScope(app.Agent), known.Sealed, &a); err != nil {
		return "", err
	}

	switch {
	case a.Host != v.Agents.Host(app.Agent):
		return known.Task, ErrElsewhere
	// RFC 9207 section 2.4. A server without a known issuer is identified by
	// the redirect URI, which is different for each agent.
	case a.Server.Issuer != "" && r.Issuer != "" && r.Issuer != a.Server.Issuer,
		r.Issuer == "" && a.Server.Iss:
		return known.Task, ErrIssuer
	case r.Error == "access_denied": // RFC 6749 section 4.1.2.1
		return known.Task, ErrDenied
	case unknownClient(r.Error):
		v.unregister(ctx, app.Agent, a.Grant.Client)
		return known.Task, ErrRefused
	case r.Error != "" || r.Code == "":
		return known.Task, ErrRefused
	}

	verifier := oauth2.VerifierOption(v.verifier(r.State))
	s, err := v.exchange(ctx, app, a.Grant, v.redirect(app.Agent), r.Code, nil, verifier)
	if err != nil {
		return known.Task, err
	}

	return known.Task, v.Save(ctx, user, app.Agent, OAuth, s)
}

// client returns the client with its secret. The configured secret is only for the
// configured server: it is not used to renew tokens of another server.
func (g grant) client(app App) (client, error) {
	c := g.Client
	if !g.Configured {
		return c, nil
	}

	otherIssuer := app.Issuer != "" && app.Issuer != c.Issuer
	otherToken := app.TokenURL != "" && app.TokenURL != g.Token
	if app.ClientID != c.ID || otherIssuer || otherToken {
		return c, ErrRefused // the operator has another client by now, or another server
	}

	c.Secret = app.ClientSecret
	return c, nil
}

// secretOf returns the part of a token response that is stored.
func (v *Vault) secretOf(t *oauth2.Token, g grant) (Secret, error) {
	if !strings.EqualFold(t.Type(), "Bearer") {
		return Secret{}, &errServer{"its tokens are of a type that is not known here"}
	}
	s := Secret{Value: t.AccessToken, Refresh: t.RefreshToken, Grant: &g}
	if !t.Expiry.IsZero() {
		s.Expires = v.Now().Add(time.Until(t.Expiry)) // by our clock
	}
	return s, nil
}

// refusal tells an outage from a refusal. It drops the server's text, which may repeat
// the request.
func (v *Vault) refusal(ctx context.Context, agent string, g grant, err error) error {
	status := http.StatusServiceUnavailable
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	if ok && refused.Response != nil {
		status = refused.Response.StatusCode
	}
	if status >= http.StatusInternalServerError || status == http.StatusTooManyRequests {
		v.Log.WarnContext(ctx, "an authorization server does not answer", "agent", agent)
		return &errUnavailable{errors.New("no answer that can be read")}
	}

	v.Log.WarnContext(ctx, "an authorization server refused", "agent", agent, "status", status)
	if unknownClient(refused.ErrorCode) && !g.Configured {
		v.unregister(ctx, agent, g.Client)
	}

	return ErrRefused
}

// unknownClient reports whether an error code says that a server does not know its client.
func unknownClient(code string) bool {
	return code == "invalid_client" || code == "unauthorized_client"
}

// verifier is the PKCE verifier (RFC 7636) of the attempt with a state.
func (v *Vault) verifier(state string) string {
	mac := hmac.New(sha256.New, v.Key)
	mac.Write([]byte("connect verifier " + state))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// attemptScope keeps what is sealed for an attempt from being taken for a connection.
func attemptScope(agent string) string { return agent + " attempt" }

// errNotConnected is the error of a call for a user who has not connected the agent.
func errNotConnected(agent string) *a2a.Error {
	return a2a.Errorf(
		a2a.Unauthenticated,
		"you have not connected the agent %s yet, or the connection has ended",
		agent,
	)
}
