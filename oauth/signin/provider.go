package signin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-json-experiment/json"
	"golang.org/x/oauth2"

	"rialto/oauth"
	"rialto/oauth/client"
	"rialto/oauth/internal/jwt"
	"rialto/oauth/internal/secret"
	"rialto/oauth/token"
	"rialto/templates"
)

func (pv *Providers) Offered() []templates.Provider {
	var all []templates.Provider
	for _, p := range pv.List {
		all = append(all, templates.Provider{ID: p.ID, Name: p.name()})
	}
	return all
}

// Check says what is wrong with the configuration.
func (pv *Providers) Check() (faults error) {
	seen := map[string]bool{}
	for _, p := range pv.List {
		if err := p.check(); err != nil {
			faults = errors.Join(faults, fmt.Errorf("provider %q: %w", p.ID, err))
		}
		if seen[p.ID] {
			faults = errors.Join(faults, fmt.Errorf("provider %q is there twice", p.ID))
		}
		seen[p.ID] = true
	}

	return faults
}

// Provider is an identity provider where people sign in (OpenID Connect Core
// 1.0). ID, Issuer and ClientID are required.
type Provider struct {
	ID   string // a word, in the address of the callback and in the names of accounts
	Name string // on the button; "" is ID

	// Issuer signs the ID tokens. Its Audiences mean nothing here.
	Issuer       token.Issuer
	ClientID     string
	ClientSecret string   // "" for a public client
	Scopes       []string // to ask for; nil is openid, profile and email

	// Where the endpoints are; "" finds each in the issuer's metadata.
	AuthorizationURL, TokenURL, UserInfoURL string

	// NameClaim holds what to call the person; "" is preferred_username, or else email.
	NameClaim string
	// Admin decides who is an administrator; without it no person is.
	Admin Rule
	// UseCases is the claim that lists the use cases of the person; "" sets no
	// limit. A person without use cases may not sign in.
	UseCases string
	// Allow and Domains decide who may sign in. A person must meet each that is
	// set; Domains are those of verified email addresses.
	Allow   Rule
	Domains []string

	// Lifetime is how long a grant lasts before the person has to sign in there
	// again; 0 is 30 days.
	Lifetime time.Duration
}

// Rule is met if a claim holds one of some values.
type Rule struct {
	Claim  string // its name, or its path with dots between ("realm_access.roles")
	Values []string
}

// Endpoints is the part of a provider's metadata that we use.
type Endpoints struct {
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	UserInfo      string   `json:"userinfo_endpoint"`
	TokenAuth     []string `json:"token_endpoint_auth_methods_supported"`
	Iss           bool     `json:"authorization_response_iss_parameter_supported"`
}

const (
	endpointsFresh = time.Hour
	endpointsStale = 24 * time.Hour
)

// CallbackPath is where providers send people back, before the provider's ID.
const CallbackPath = "/oauth/callback/"

var providerID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// check says what is wrong with the configuration.
func (p *Provider) check() error {
	switch {
	case !providerID.MatchString(p.ID):
		return fmt.Errorf("the ID %q must be 1 to 32 of a-z, 0-9 and -", p.ID)
	case p.ClientID == "":
		return errors.New("the client ID is missing")
	case p.Admin.Claim == "" && len(p.Admin.Values) > 0,
		p.Allow.Claim == "" && len(p.Allow.Values) > 0:
		return errors.New("values are given without the claim that should hold one of them")
	case p.Admin.Claim != "" && len(p.Admin.Values) == 0,
		p.Allow.Claim != "" && len(p.Allow.Values) == 0:
		return errors.New("a claim is named without the values that count")
	case p.Lifetime < 0:
		return errors.New("the lifetime is negative")
	case p.Scopes != nil && !slices.Contains(p.Scopes, oidc.ScopeOpenID):
		return errors.New("the scopes lack openid, which ID tokens need")
	}

	for _, domain := range p.Domains {
		if domain == "" || strings.ContainsAny(domain, "@* ") || strings.ToLower(domain) != domain {
			return fmt.Errorf("%q is not a domain such as example.com", domain)
		}
	}

	for _, address := range []string{p.AuthorizationURL, p.TokenURL, p.UserInfoURL} {
		if address == "" {
			continue
		}
		if err := p.Issuer.Fetch.Check(address); err != nil {
			return fmt.Errorf("%q: %w", address, err)
		}
	}

	return p.Issuer.Check()
}

func (p *Provider) name() string { return cmp.Or(p.Name, p.ID) }

func (p *Provider) lifetime() time.Duration { return cmp.Or(p.Lifetime, 30*24*time.Hour) }

// Find returns the provider with an ID, or nil.
func (pv *Providers) Find(id string) *Provider {
	i := slices.IndexFunc(pv.List, func(p *Provider) bool { return p.ID == id })
	if i < 0 {
		return nil
	}
	return pv.List[i]
}

// callbackURL is where a provider sends people back. Each provider has its own,
// so that answers cannot be mixed up (RFC 9700 section 4.4.2).
func (pv *Providers) callbackURL(p *Provider) string { return pv.Env.Issuer + CallbackPath + p.ID }

// endpointsFor returns the provider's endpoints. If its metadata cannot be
// fetched, it uses a copy of up to a day.
func (pv *Providers) endpointsFor(ctx context.Context, p *Provider) (*Endpoints, error) {
	if p.AuthorizationURL != "" && p.TokenURL != "" {
		return p.with(&Endpoints{Issuer: p.Issuer.URL}), nil
	}
	e, err := pv.Endpoints.Get(ctx, p.ID, endpointsFresh, endpointsStale, p.fetchEndpoints)
	if err != nil {
		return nil, &token.ErrUnreachable{Err: err}
	}
	return e, nil
}

func (p *Provider) fetchEndpoints(ctx context.Context) (*Endpoints, error) {
	answer, err := p.Issuer.Fetch.Get(
		ctx, strings.TrimSuffix(p.Issuer.URL, "/")+oauth.OpenidMetadataPath,
	)
	if err != nil {
		return nil, err
	}

	e := &Endpoints{}
	if err := json.Unmarshal(answer.Body, e); err != nil {
		return nil, fmt.Errorf("reading its metadata: %w", err)
	}
	if e.Issuer != p.Issuer.URL {
		return nil, fmt.Errorf("its metadata is that of another issuer, %q", e.Issuer)
	}

	e = p.with(e)
	for _, address := range []string{e.Authorization, e.Token} {
		if err := p.Issuer.Fetch.Check(address); err != nil {
			return nil, fmt.Errorf("its metadata names %q: %w", address, err)
		}
	}

	return e, nil
}

// with replaces endpoints by those that the operator set.
func (p *Provider) with(e *Endpoints) *Endpoints {
	e.Authorization = cmp.Or(p.AuthorizationURL, e.Authorization)
	e.Token = cmp.Or(p.TokenURL, e.Token)
	e.UserInfo = cmp.Or(p.UserInfoURL, e.UserInfo)
	return e
}

// client returns us as a client of the provider.
func (pv *Providers) clientOf(p *Provider, e *Endpoints) *oauth2.Config {
	scopes := p.Scopes
	if scopes == nil {
		scopes = []string{oidc.ScopeOpenID, "profile", "email"}
	}
	// Probing, as the library does by default, would send the code twice.
	style := oauth2.AuthStyleInHeader
	takesBasic := len(e.TokenAuth) == 0 || slices.Contains(e.TokenAuth, oauth.AuthBasic)
	if p.ClientSecret == "" || !takesBasic {
		style = oauth2.AuthStyleInParams
	}

	return &oauth2.Config{
		ClientID:     p.ClientID,
		ClientSecret: pv.Env.Secrets("sign_in.oidc["+p.ID+"]", p.ClientSecret)[0],
		Endpoint: oauth2.Endpoint{
			AuthURL:   e.Authorization,
			TokenURL:  e.Token,
			AuthStyle: style,
		},
		RedirectURL: pv.callbackURL(p),
		Scopes:      scopes,
	}
}

// idToken redeems a provider's code for an ID token, and returns its claims and
// the access token that came with it.
func (pv *Providers) idToken(
	ctx context.Context,
	p *Provider,
	e *Endpoints,
	code, state string,
) (claims map[string]any, access string, err error) {
	ctx = oidc.ClientContext(ctx, p.Issuer.Fetch.HTTP())
	tokens, err := pv.clientOf(p, e).Exchange(ctx, code, oauth2.VerifierOption(pv.derived("login verifier", state)))
	if err != nil {
		return nil, "", exchangeFailed(err)
	}

	raw, _ := tokens.Extra("id_token").(string)
	if raw == "" {
		return nil, "", errors.New("it sent no ID token")
	}

	claims, err = pv.checkIDToken(ctx, p, raw, pv.derived("login nonce", state))
	return claims, tokens.AccessToken, err
}

// exchangeFailed tells an outage from a refusal: after an outage the person may
// try the same link again.
func exchangeFailed(err error) error {
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.Response != nil &&
		refused.Response.StatusCode < http.StatusInternalServerError {
		// Log only the code: the response may hold anything.
		return &errCodeRefused{refused.Response.StatusCode, client.CleanName(refused.ErrorCode)}
	}
	return &token.ErrUnreachable{Err: err}
}

// errCodeRefused says that a provider did not take the code that a browser brought back.
type errCodeRefused struct {
	status int
	code   string
}

func (e *errCodeRefused) Error() string {
	return fmt.Sprintf("it refused the code (%d %s)", e.status, e.code)
}

// checkIDToken returns the claims of an ID token that holds (OpenID Connect
// Core 1.0 section 3.1.3.7). The library checks signature, issuer, audience and
// time; the form, the header, the nonce and the authorized party are for us.
func (pv *Providers) checkIDToken(
	ctx context.Context,
	p *Provider,
	raw, nonce string,
) (claims map[string]any, err error) {
	t, ok := jwt.Parse(raw)
	if !ok {
		return nil, errors.New("its ID token is not a signed JWT of the plain form")
	}

	keys := &issuerKeySet{issuers: pv.Issuers, issuer: &p.Issuer}
	token, err := oidc.NewVerifier(p.Issuer.URL, keys, &oidc.Config{
		ClientID:             p.ClientID,
		SupportedSigningAlgs: p.Issuer.SigningAlgorithms(),
		Now:                  pv.Env.Now,
	}).Verify(ctx, raw)
	if keys.down != nil {
		return nil, keys.down
	}
	if err != nil {
		return nil, err
	}
	// Not as the library decodes it, which ignores letter case and takes the last of two.
	if err := t.Claims(&claims); err != nil {
		return nil, err
	}

	azp, named := claims["azp"]
	subject := textClaim(claims, "sub")
	switch {
	case nonce == "" || !secret.Same(token.Nonce, nonce):
		return nil, errors.New("its ID token has another nonce")
	case named && azp != p.ClientID, !named && len(token.Audience) > 1:
		return nil, errors.New("its ID token is for another party")
	case subject == "" || subject != token.Subject || len(subject) > oauth.MaxSubject:
		return nil, errors.New("its ID token does not say whom it is about")
	case token.IssuedAt.After(pv.Env.Now().Add(jwt.Leeway)):
		return nil, errors.New("its ID token is from the future")
	}

	return claims, nil
}

// issuerKeySet lets the library check signatures with the keys that we keep of the provider.
type issuerKeySet struct {
	issuers *token.Issuers
	issuer  *token.Issuer
	down    *token.ErrUnreachable // why the keys could not be had; the library keeps its text only
}

// VerifySignature implements oidc.KeySet.
func (k *issuerKeySet) VerifySignature(ctx context.Context, raw string) ([]byte, error) {
	t, ok := jwt.Parse(raw)
	if !ok {
		return nil, errors.New("not a signed JWT of the plain form")
	}

	var h jwt.Header
	if t.Header(&h) != nil {
		return nil, errors.New("its header holds something that is not understood here")
	}

	err := k.issuers.SignedBy(ctx, k.issuer, t, h)
	k.down, _ = errors.AsType[*token.ErrUnreachable](err)
	return t.Payload, err
}
