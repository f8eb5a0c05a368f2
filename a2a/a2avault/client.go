package a2avault

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

// client is this server's registration at an authorization server.
type client struct {
	Issuer   string    `json:"issuer"`
	Redirect string    `json:"redirect"`
	ID       string    `json:"id"`
	Secret   string    `json:"secret,omitempty"`
	InBody   bool      `json:"in_body,omitempty"`
	Expires  time.Time `json:"expires,omitzero"` // of Secret; zero is never
}

// grant is what renewing a token needs.
type grant struct {
	Token      string `json:"token"` // the endpoint
	Client     client `json:"client"`
	Configured bool   `json:"configured,omitempty"` // the secret is in the configuration, and not kept
	Resource   string `json:"resource,omitempty"`
	Revocation string `json:"revocation,omitempty"` // the endpoint; "" is none
}

// redirect returns the redirect URI of an agent. Each agent has its own, so that the
// response of one server cannot be used for another (RFC 9700 section 4.4.2).
func (v *Vault) redirect(agent string) string {
	return v.URL + ConnectPath + agent + CallbackSuffix
}

// The paths of the pages: ConnectPath, the name of the agent and, for the redirect, CallbackSuffix.
const (
	ConnectPath    = "/connect/"
	CallbackSuffix = "/callback"
)

// ErrNoClient is returned if an authorization server has no dynamic registration and the
// operator has configured no client.
var ErrNoClient = errors.New("this server is not known at the agent's authorization server")

// client returns our client at a server: the configured one, a registered one, or one that it
// registers now (RFC 7591). With anew it ignores a registration that is older than a minute.
func (v *Vault) client(
	ctx context.Context, app App, s *server, kind Kind, anew bool,
) (c client, configured bool, err error) {
	if app.ClientID != "" {
		c = client{Issuer: s.Issuer, ID: app.ClientID, Secret: app.ClientSecret}
		c.InBody = app.InBody || app.ClientSecret == ""
		return c, true, nil
	}
	row, err := v.Store.Connection(ctx, "", app.Agent)
	if err != nil && !errors.Is(err, ErrNone) {
		return c, false, err
	}
	anew = anew && err == nil && v.Now().Sub(row.Connected) > time.Minute
	if err == nil && !anew && v.open("", app.Agent, row.Sealed, &c) == nil && v.fits(c, app, s) {
		return c, false, nil
	}
	if s.Registration == "" {
		return c, false, ErrNoClient
	}
	c, err = v.register(ctx, app, s, kind)
	if err != nil {
		return c, false, err
	}

	return c, false, v.put(ctx, "", app.Agent, registration, c)
}

// fits reports whether a registered client can be used at s now.
func (v *Vault) fits(c client, app App, s *server) bool {
	expired := !c.Expires.IsZero() && !v.Now().Before(c.Expires)
	return c.Issuer == s.Issuer && c.Redirect == v.redirect(app.Agent) && !expired
}

// unregister deletes a registration that its server no longer knows, so that the next
// attempt registers again. Servers forget clients; without this the
// agent could not be connected until the row was deleted by hand.
func (v *Vault) unregister(ctx context.Context, agent string, dead client) {
	var c client
	row, err := v.Store.Connection(ctx, "", agent)
	if err != nil || v.open("", agent, row.Sealed, &c) != nil || c.ID != dead.ID {
		return
	}

	v.Log.WarnContext(
		ctx, "an authorization server has forgotten this server as its client",
		"agent", agent,
	)
	if err := v.Store.ForgetConnection(ctx, "", agent); err != nil && !errors.Is(err, ErrNone) {
		v.Log.ErrorContext(ctx, "forgetting a registration", "agent", agent, "err", err)
	}
}

// authMethod returns how a client proves itself there: with nothing but PKCE, if the server takes that.
func (s *server) authMethod() string {
	switch {
	case len(s.Auth) == 0 || slices.Contains(s.Auth, "none"):
		return "none"
	case slices.Contains(s.Auth, "client_secret_basic"):
		return "client_secret_basic"
	}
	return "client_secret_post"
}

// registration returns what a client says of itself (RFC 7591 section 2).
func (v *Vault) registration(app App, kind Kind, method string) map[string]any {
	about := map[string]any{
		"client_name":                v.Name,
		"redirect_uris":              []string{v.redirect(app.Agent)},
		"token_endpoint_auth_method": method,
		"grant_types":                []string{"authorization_code", "refresh_token"},
		"response_types":             []string{"code"},
	}
	if kind == Device { // section 2.1
		about["grant_types"] = []string{deviceGrant, "refresh_token"}
		about["response_types"] = []string{}
	}
	return about
}

// register registers a client at a server: a public one with PKCE, unless the server
// requires a secret.
func (v *Vault) register(ctx context.Context, app App, s *server, kind Kind) (client, error) {
	method := s.authMethod()
	body, err := json.Marshal(v.registration(app, kind, method))
	if err != nil {
		return client{}, err
	}

	req, err := http.NewRequestWithContext(
		ctx,
		http.MethodPost,
		s.Registration,
		bytes.NewReader(body),
	)
	if err != nil {
		return client{}, err
	}

	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	resp, err := app.Fetch.HTTP().Do(req)
	if err != nil {
		return client{}, &errUnavailable{err}
	}
	defer resp.Body.Close()
	var got struct {
		ID      string `json:"client_id"`
		Secret  string `json:"client_secret"`
		Expires int64  `json:"client_secret_expires_at"`
		Method  string `json:"token_endpoint_auth_method"`
	}
	if resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests {
		return client{}, &errUnavailable{fmt.Errorf("the registration answers %d", resp.StatusCode)}
	}
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil || resp.StatusCode/100 != 2 ||
		got.ID == "" {
		return client{}, &errServer{"it registered no client"}
	}

	c := client{
		Issuer:   s.Issuer,
		Redirect: v.redirect(app.Agent),
		ID:       got.ID,
		Secret:   got.Secret,
	}
	c.InBody = got.Secret == "" || cmp.Or(got.Method, method) == "client_secret_post"
	if got.Secret != "" && got.Expires > 0 {
		c.Expires = time.Unix(got.Expires, 0)
	}

	return c, nil
}

// post sends a form to an endpoint of the server, as its client.
func (c client) post(
	ctx context.Context,
	app App,
	address string,
	form url.Values,
) (*http.Response, error) {
	form.Set("client_id", c.ID)
	if c.InBody && c.Secret != "" {
		form.Set("client_secret", c.Secret)
	}

	req, err := http.NewRequestWithContext(
		ctx,
		http.MethodPost,
		address,
		strings.NewReader(form.Encode()),
	)
	if err != nil {
		return nil, err
	}

	req.Header = http.Header{
		"Content-Type": {"application/x-www-form-urlencoded"},
		"Accept":       {"application/json"},
	}
	if !c.InBody {
		req.SetBasicAuth(url.QueryEscape(c.ID), url.QueryEscape(c.Secret)) // RFC 6749 section 2.3.1
	}

	resp, err := app.Fetch.HTTP().Do(req)
	if err != nil {
		return nil, &errUnavailable{err}
	}

	return resp, nil
}

// newGrant returns what a connection needs at the authorization server of a sign-in method, and
// that server. anew is that of Vault.client.
func (v *Vault) newGrant(
	ctx context.Context,
	app App,
	w SignInMethod,
	kind Kind,
	anew bool,
) (*server, grant, error) {
	s, err := app.server(ctx, w)
	if err != nil {
		return nil, grant{}, err
	}
	c, configured, err := v.client(ctx, app, s, kind, anew)
	if err != nil {
		return nil, grant{}, err
	}
	if configured {
		c.Secret = ""
	}
	return s, grant{
		Token:      s.Token,
		Client:     c,
		Configured: configured,
		Resource:   app.Resource,
		Revocation: s.Revocation,
	}, nil
}

// resource returns the option that asks for tokens of the resource, if there is one.
func (g grant) resource() []oauth2.AuthCodeOption {
	if g.Resource == "" {
		return nil
	}
	return []oauth2.AuthCodeOption{oauth2.SetAuthURLParam("resource", g.Resource)}
}

// exchange redeems a code for tokens. redirect is the address to which the code was sent, and
// meanings has the errors for error codes of the server that are no refusals.
func (v *Vault) exchange(
	ctx context.Context, app App, g grant, redirect, code string,
	meanings map[string]error, options ...oauth2.AuthCodeOption,
) (Secret, error) {
	c, err := g.client(app)
	if err != nil {
		return Secret{}, err
	}

	config := v.config(app.Agent, g.Token, c)
	config.RedirectURL = redirect
	ctx = context.WithValue(ctx, oauth2.HTTPClient, app.Fetch.HTTP())
	t, err := config.Exchange(ctx, code, append(options, g.resource()...)...)
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok &&
		meanings[refused.ErrorCode] != nil {
		return Secret{}, meanings[refused.ErrorCode]
	}
	if err != nil {
		return Secret{}, v.refusal(ctx, app.Agent, g, err)
	}

	return v.secretOf(t, g)
}

// config returns the client in the terms of the library.
func (v *Vault) config(agent, token string, c client) *oauth2.Config {
	style := oauth2.AuthStyleInHeader // to find out by trying would send a code twice
	if c.InBody {
		style = oauth2.AuthStyleInParams
	}

	return &oauth2.Config{
		ClientID:     c.ID,
		ClientSecret: c.Secret,
		RedirectURL:  v.redirect(agent),
		Endpoint:     oauth2.Endpoint{TokenURL: token, AuthStyle: style},
	}
}

// errUnavailable is the error if an authorization server does not answer.
type errUnavailable struct{ err error }

// Error says so; why is for the log.
func (e *errUnavailable) Error() string { return "the agent's authorization server does not answer" }

// Unwrap returns why.
func (e *errUnavailable) Unwrap() error { return e.err }

// Unavailable reports whether err is about a server that may answer later.
func Unavailable(err error) bool { return errors.As(err, new(*errUnavailable)) }
