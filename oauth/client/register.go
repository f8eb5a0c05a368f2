package client

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/jwt"
	"rialto/oauth/internal/secret"
	"rialto/oauth/token"
)

// Registration serves dynamic client registration (RFC 7591) and its management (RFC 7592).
type Registration struct {
	Clients *Clients
	Policy  *Policy
	Scopes  *oauth.Scopes
	Env     *endpoint.Env

	// Mode is ModeOpen, ModeToken or ModeClosed. Token is the initial access token (RFC 7591 section
	// 1.2); "" takes none.
	Mode, Token string

	// PerHour bounds the registrations of one network without the token.
	PerHour int
}

// Who may register clients.
const (
	ModeOpen   = "open"   // all
	ModeToken  = "token"  // apps that present the initial access token
	ModeClosed = "closed" // the operator
)

// Check says what is wrong with the configuration.
func (rg *Registration) Check() error {
	switch {
	case !slices.Contains([]string{ModeOpen, ModeToken, ModeClosed}, rg.Mode):
		return fmt.Errorf("registration mode %q is not open, token or closed", rg.Mode)
	case rg.Mode == ModeToken && rg.Token == "":
		return errors.New("registration needs a token: set one, or another mode than token")
	case rg.Token != "" && len(rg.Token) < 16:
		return errors.New("the registration token is shorter than 16 characters")
	}
	return nil
}

// isToken tells whether a text is an initial access token that counts.
func (rg *Registration) isToken(text string) bool {
	return rg.Token != "" && slices.ContainsFunc(
		rg.Env.Secrets("registration.token", rg.Token),
		func(is string) bool { return secret.Same(secret.Hash(text), secret.Hash(is)) },
	)
}

// mayRegister decides whether a request may register a client.
func (rg *Registration) mayRegister(r *http.Request) error {
	if rg.Mode == ModeClosed {
		return &oauth.Error{
			Code:        "access_denied",
			Description: "Clients cannot register here; ask the people who run this server.",
			HTTPStatus:  http.StatusForbidden,
		}
	}

	scheme, raw, err := token.Presented(r)
	if err == nil && scheme == token.SchemeBearer && rg.isToken(raw) {
		return nil
	}
	if rg.Mode == ModeToken {
		return rg.Env.LogRefusal(
			r,
			"",
			oauth.Refuse(
				"invalid_token",
				"Registration needs the initial access token of this server (RFC 7591 section 1.2).",
			),
		)
	}

	return rg.limit(r)
}

// limit bounds the registrations of a network. Loopback has sixty times as many. There is no bound
// for all networks together, which a few of them could use up for the others; the store keeps at
// most maxClients.
func (rg *Registration) limit(r *http.Request) error {
	n := rg.PerHour
	if rg.Env.Local(r) {
		n *= 60
	}
	if e := rg.Env.Allow(endpoint.Register(n), r); e != nil {
		return e
	}
	return nil
}

// maxClients bounds how many clients the store keeps.
const maxClients = 10_000

// registration is the metadata of a client (RFC 7591 section 2). Other members
// are ignored, as section 2 demands: client_id, client_secret, and also scope,
// because the person limits a client, and a client may ask for more later.
type registration struct {
	RedirectURIs  []string       `json:"redirect_uris"`
	AuthMethod    string         `json:"token_endpoint_auth_method"`
	GrantTypes    []string       `json:"grant_types"`
	ResponseTypes []string       `json:"response_types"`
	Name          string         `json:"client_name"`
	URI           string         `json:"client_uri"`
	Statement     string         `json:"software_statement"`
	JWKS          jsontext.Value `json:"jwks"`
	JWKSURI       string         `json:"jwks_uri"`
	Bound         bool           `json:"dpop_bound_access_tokens"` // RFC 9449 section 5.2
	Type          jsontext.Value `json:"application_type"`         // OpenID Connect Registration section 2
}

// registered is the answer (RFC 7591 section 3.2.1).
type registered struct {
	ID            string         `json:"client_id"`
	IssuedAt      int64          `json:"client_id_issued_at"`
	Secret        string         `json:"client_secret,omitempty"`
	SecretExpires *int64         `json:"client_secret_expires_at,omitempty"`
	Name          string         `json:"client_name"`
	URI           string         `json:"client_uri,omitempty"`
	RedirectURIs  []string       `json:"redirect_uris"`
	AuthMethod    string         `json:"token_endpoint_auth_method"`
	JWKS          jsontext.Value `json:"jwks,omitzero"`
	JWKSURI       string         `json:"jwks_uri,omitzero"`
	Bound         bool           `json:"dpop_bound_access_tokens,omitzero"`
	Type          string         `json:"application_type,omitzero"`
	GrantTypes    []string       `json:"grant_types"`
	ResponseTypes []string       `json:"response_types"`
	Scope         string         `json:"scope"`
	ManageToken   string         `json:"registration_access_token,omitempty"` // RFC 7592 section 3
	ManageURI     string         `json:"registration_client_uri,omitempty"`
}

// Create serves dynamic client registration (RFC 7591).
func (rg *Registration) Create(w http.ResponseWriter, r *http.Request) error {
	if err := rg.mayRegister(r); err != nil {
		return err
	}

	c, _, err := rg.readRegistration(w, r)
	if err != nil {
		return err
	}

	answer := rg.admit(c)
	if err := rg.Clients.Store.AddClient(r.Context(), c, maxClients); err != nil {
		return err
	}

	rg.Env.Log.InfoContext(
		r.Context(), "oauth: client registered",
		"client", c.ID,
		"name", c.Name,
		"redirect_uris", c.RedirectURIs,
		"address", rg.Env.Address(r),
	)
	rg.Env.Audit(r, oauth.Event{Kind: oauth.EventRegistered, ClientID: c.ID, Detail: c.Name})
	endpoint.WriteJSON(w, http.StatusCreated, answer)
	return nil
}

func (rg *Registration) readRegistration(
	w http.ResponseWriter, r *http.Request,
) (c *oauth.Client, body []byte, err error) {
	if endpoint.MediaType(r.Header) != "application/json" {
		return nil, nil, badMetadata("The body must be application/json.")
	}

	body, err = endpoint.ReadBody(w, r)
	if err != nil {
		return nil, nil, err
	}

	c, err = rg.Policy.parseRegistration(body)
	return c, body, err
}

// admit gives the client an ID, and a secret if it needs one, and returns the answer.
func (rg *Registration) admit(c *oauth.Client) *registered {
	c.ID = secret.New(secret.ClientPrefix)
	c.Registered = rg.Env.Now()
	plain := giveSecret(c)
	return rg.describe(c, plain, giveManageToken(c))
}

// giveSecret gives a client a secret if it authenticates with one.
func giveSecret(c *oauth.Client) (plain string) {
	if c.AuthMethod == oauth.AuthBasic || c.AuthMethod == oauth.AuthPost {
		plain = secret.New(secret.SecretPrefix)
		c.SecretHash = secret.Hash(plain)
	}
	return plain
}

// giveManageToken gives a client a new token to manage its registration with.
func giveManageToken(c *oauth.Client) (plain string) {
	plain = secret.New(secret.ManagePrefix)
	c.ManageHash = secret.Hash(plain)
	return plain
}

// describe returns the registration of a client. secret and token are set only
// when they are issued: the server keeps only their hashes.
func (rg *Registration) describe(c *oauth.Client, secret, token string) *registered {
	answer := &registered{
		ID:            c.ID,
		IssuedAt:      c.Registered.Unix(),
		Secret:        secret,
		Name:          c.Name,
		URI:           c.URI,
		RedirectURIs:  c.RedirectURIs,
		AuthMethod:    c.AuthMethod,
		JWKSURI:       c.KeysURI,
		Bound:         c.Bound,
		Type:          c.ApplicationType,
		GrantTypes:    c.GrantTypes,
		ResponseTypes: []string{"code"},
		Scope:         rg.Scopes.Ordinary().With(oauth.OfflineAccess).String(),
		ManageToken:   token,
		ManageURI:     rg.Env.Issuer + "/register/" + c.ID,
	}
	if secret != "" {
		answer.SecretExpires = new(int64)
	}
	if c.Keys != "" {
		answer.JWKS = jsontext.Value(c.Keys)
	}
	return answer
}

// applicationType returns the application_type, which the answer repeats (RFC
// 7591 section 3.2.1), and "" for an unknown one, which is not an error.
func (m *registration) applicationType() string {
	switch said := string(m.Type); said {
	case `"native"`, `"web"`:
		return strings.Trim(said, `"`)
	}
	return ""
}

func (m *registration) checkRedirects(po *Policy) error {
	prefixes := po.Env.Settings.RedirectPrefixes()
	if len(m.RedirectURIs) == 0 || len(m.RedirectURIs) > maxRedirectURIs {
		return oauth.Refuse("invalid_redirect_uri", "There must be 1 to %d redirect_uris.", maxRedirectURIs)
	}

	for _, raw := range m.RedirectURIs {
		uri, err := ParseRedirect(raw)
		if err != nil {
			return oauth.Refuse("invalid_redirect_uri", "%s.", err)
		}
		if !uri.registrable() {
			return oauth.Refuse(
				"invalid_redirect_uri",
				"A redirect_uri must be https, or http on 127.0.0.1, [::1] or localhost.",
			)
		}
		if !uri.Local() && len(prefixes) > 0 && !slices.ContainsFunc(prefixes, uri.under) {
			return oauth.Refuse(
				"invalid_redirect_uri",
				"This server lets redirect_uris lead to %s only.",
				strings.Join(prefixes, ", "),
			)
		}
	}

	return nil
}

// checkKeys checks the keys of a client or their address, which counts only if
// addresses are fetched.
func (m *registration) checkKeys(fetched bool) error {
	if m.Statement != "" {
		return oauth.Refuse(
			"invalid_software_statement", "No issuer of software statements is trusted here.",
		)
	}
	if string(m.JWKS) == "null" {
		m.JWKS = nil
	}
	if len(m.JWKS) > 0 && m.JWKSURI != "" {
		return badMetadata("jwks and jwks_uri exclude each other.")
	}
	if len(m.JWKS) > 0 {
		if _, err := jwt.ParseKeys(m.JWKS, maxClientKeys); err != nil {
			return err
		}
	}
	if !fetched {
		m.JWKSURI = ""
	}
	if uri, err := ParseRedirect(m.JWKSURI); m.JWKSURI != "" &&
		(err != nil || uri.Local() && !uri.Loopback()) {
		return badMetadata("jwks_uri must be https.")
	}
	return nil
}

// check applies the rules for every client.
func (m *registration) check(po *Policy) error {
	if err := m.checkRedirects(po); err != nil {
		return err
	}
	return m.checkKeys(po.Fetcher.HTTP != nil)
}

func badMetadata(format string, args ...any) *oauth.Error {
	return oauth.Refuse("invalid_client_metadata", format, args...)
}

func (m *registration) hasKeys() bool { return len(m.JWKS) > 0 || m.JWKSURI != "" }

// authMethod returns how the client will authenticate. The default is that of RFC 7591 section 2.
func (m *registration) authMethod() (string, error) {
	switch m.AuthMethod {
	case "":
		return oauth.AuthBasic, nil
	case oauth.AuthNone, oauth.AuthBasic, oauth.AuthPost:
		return m.AuthMethod, nil
	case oauth.AuthPrivateKeyJWT:
		if !m.hasKeys() {
			return "", badMetadata("private_key_jwt needs jwks or jwks_uri.")
		}
		return oauth.AuthPrivateKeyJWT, nil
	}
	return "", badMetadata(
		"token_endpoint_auth_method must be none, client_secret_basic, client_secret_post or private_key_jwt.",
	)
}

// grantTypes returns the supported part of the list. A client without a list
// gets refresh tokens, contrary to the default of RFC 7591: users complain most
// about connectors that lose access every hour.
func (m *registration) grantTypes() ([]string, error) {
	if len(m.ResponseTypes) > 0 && !slices.Contains(m.ResponseTypes, "code") {
		return nil, badMetadata("response_types must contain code.")
	}

	supported := []string{oauth.GrantAuthorizationCode, oauth.GrantRefreshToken}
	if len(m.GrantTypes) == 0 {
		return supported, nil
	}
	if !slices.Contains(m.GrantTypes, oauth.GrantAuthorizationCode) {
		return nil, badMetadata("grant_types must contain authorization_code.")
	}

	return slices.DeleteFunc(
		supported, func(grant string) bool { return !slices.Contains(m.GrantTypes, grant) },
	), nil
}

// name returns a name that can be shown; that of a client without one is the
// host of its redirect URI.
func (m *registration) name() string {
	if name := CleanName(m.Name); name != "" {
		return name
	}
	uri, _ := ParseRedirect(m.RedirectURIs[0]) // checked before
	return uri.Host()
}

// uri returns the client's page, or "" if it cannot be shown.
func (m *registration) uri() string {
	u, err := url.Parse(m.URI)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || len(m.URI) > 200 ||
		!endpoint.IsText(m.URI) {
		return ""
	}
	return m.URI
}

// privateSchemes are the private-use URI schemes that a client may register for its redirect URI
// (RFC 8252 section 7.1).
var privateSchemes = []string{"cursor"}

// Policy decides what clients may register.
type Policy struct {
	Fetcher *Fetcher
	Env     *endpoint.Env
}

// Check says what is wrong with the configuration.
func (po *Policy) Check() error {
	for _, prefix := range po.Env.Settings.RedirectPrefixes() {
		if p, err := ParseRedirect(prefix); err != nil || p.URL.Scheme != "https" {
			return fmt.Errorf(
				"redirect prefix %q is not an address such as https://chatgpt.com/", prefix,
			)
		}
	}
	return nil
}

// parseRegistration checks a registration. The decoder is strict where parsers differ:
// "Redirect_URIs" is not "redirect_uris", and a duplicate name is an error.
func (po *Policy) parseRegistration(body []byte) (*oauth.Client, error) {
	var m registration
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, badMetadata("The body is not a JSON object of client metadata.")
	}
	if err := m.check(po); err != nil {
		return nil, err
	}

	method, err := m.authMethod()
	if err != nil {
		return nil, err
	}

	grants, err := m.grantTypes()
	if err != nil {
		return nil, err
	}

	return &oauth.Client{
		Name:         m.name(),
		URI:          m.uri(),
		RedirectURIs: m.RedirectURIs,
		AuthMethod:   method,
		Keys:         string(m.JWKS),
		KeysURI:      m.JWKSURI,
		GrantTypes:   grants,
		Bound:        m.Bound,

		ApplicationType: m.applicationType(),
	}, nil
}
