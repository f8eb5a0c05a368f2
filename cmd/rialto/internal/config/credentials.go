package config

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"rialto/a2a/a2aauth"
	"rialto/bridge/directory"
	"rialto/internal/i18n"
)

// Credentials reads and checks the credentials of an agent. The caller's own token
// is never sent to an agent: it was issued for this server (RFC 8707 section 2).
type Credentials directory.Credentials

// The types of credentials, other than "".
const (
	typeBearer            = "bearer"
	typeBasic             = "basic"
	typeAPIKey            = "api_key"
	TypeClientCredentials = "client_credentials"
	TypeTokenExchange     = "token_exchange"
	TypeUser              = "user" // each user connects the agent
)

// check returns the first error. It starts with the key.
func (c Credentials) check() error {
	if err := c.checkKeys(); err != nil {
		return err
	}
	if _, err := c.TLSConfig(); err != nil {
		return err
	}

	switch c.Type {
	case "":
		_, err := c.Headers()
		return err
	case typeBasic:
		if c.User == "" || strings.Contains(c.User, ":") {
			return i18n.Errorf(
				"user: set it to the name that goes with the password, without a colon",
			)
		}
	case typeAPIKey:
		if err := c.checkAPIKey(); err != nil {
			return err
		}
	case TypeUser:
		return c.checkUser()
	case TypeClientCredentials, TypeTokenExchange:
		public := c.Env == "" && c.File == ""
		if err := c.checkTokens(); err != nil || public {
			return err
		}
	}

	_, err := c.ReadSecret()
	return err
}

// The keys that only some types use, by type.
const tokenKeys = "token_url client_id client_auth scopes resource "

var (
	credentialTypes = []string{
		"",
		typeBearer,
		typeBasic,
		typeAPIKey,
		TypeClientCredentials,
		TypeTokenExchange,
		TypeUser,
	}
	keysOfType = map[string]string{
		"":                    "header scheme user",
		typeBasic:             "user",
		typeAPIKey:            "in name",
		TypeClientCredentials: tokenKeys + "audience",
		TypeTokenExchange:     tokenKeys + "audience",
		TypeUser:              tokenKeys + "issuer authorization_url",
	}
	keysOfAll = "type env file cert_file key_file ca_file"
)

// checkKeys rejects keys that the type does not use.
func (c Credentials) checkKeys() (err error) {
	if !slices.Contains(credentialTypes, c.Type) {
		return i18n.Errorf(
			"type: %q is not one of %s; leave it out to send the secret as the agent's card asks",
			c.Type,
			strings.Join(credentialTypes[1:], ", "),
		)
	}

	flatten("", reflect.ValueOf(c), func(key, _ string) {
		uses := func(t string) bool { return slices.Contains(strings.Fields(keysOfAll+" "+keysOfType[t]), key) }
		if err != nil || uses(c.Type) {
			return
		}
		others := slices.DeleteFunc(
			slices.Clone(credentialTypes), func(t string) bool { return t == "" || !uses(t) },
		)
		err = i18n.Errorf(
			"%s: is of no use with type %q, only with %s",
			key,
			c.Type,
			strings.Join(others, " or "),
		)
	})
	return err
}

func (c Credentials) checkAPIKey() error {
	switch {
	case c.Name == "":
		return i18n.Errorf(
			"name: set it to what the key is called in the header, the query or the cookie",
		)
	case !slices.Contains([]string{"", "header", "query", "cookie"}, c.In):
		return i18n.Errorf("in: %q is not one of header, query, cookie", c.In)
	case c.In != "query" && !httpguts.ValidHeaderFieldName(c.Name):
		return i18n.Errorf("name: %q cannot be the name of a header or a cookie", c.Name)
	}
	return nil
}

// checkUser checks how users sign in at the authorization server of an agent.
func (c Credentials) checkUser() error {
	for key, address := range map[string]string{
		"issuer":            c.Issuer,
		"authorization_url": c.AuthorizationURL,
		"token_url":         c.TokenURL,
	} {
		if address != "" && !isConfidential(address) {
			return i18n.Errorf("%s: %q is not an https address", key, address)
		}
	}

	switch {
	case (c.AuthorizationURL == "") != (c.TokenURL == ""):
		return i18n.Errorf("authorization_url, token_url: set both, or the issuer instead")
	case c.HasSecret() && c.ClientID == "":
		return i18n.Errorf("client_id: set it to the name that goes with the secret")
	case c.HasSecret() && c.Issuer == "" && c.TokenURL == "":
		return i18n.Errorf(
			"issuer: set it, so that the client's secret goes there and nowhere that a card names",
		)
	case !slices.Contains([]string{"", "basic", "post"}, c.ClientAuth):
		return i18n.Errorf("client_auth: %q is not one of basic, post", c.ClientAuth)
	}

	return c.Readable()
}

func (c Credentials) checkTokens() error {
	switch {
	case !isConfidential(c.TokenURL):
		return i18n.Errorf(
			"token_url: %q is not an https address: the client's secret is sent there", c.TokenURL,
		)
	case c.ClientID == "":
		return i18n.Errorf(
			"client_id: set it to the name under which the token endpoint knows this server",
		)
	case !slices.Contains([]string{"", "basic", "post"}, c.ClientAuth):
		return i18n.Errorf("client_auth: %q is not one of basic, post", c.ClientAuth)
	}
	return nil
}

// CredentialKinds returns the kinds of credentials that an agent can get.
func (c Credentials) CredentialKinds() a2aauth.CredentialKinds {
	m := a2aauth.CredentialKinds{TLS: c.CertFile != ""}
	header, _ := c.Headers()
	for name := range header {
		m.Header = name
	}

	switch c.Type {
	case TypeClientCredentials, TypeTokenExchange:
		m.Tokens = true
	case TypeUser:
		m.Secret = &a2aauth.Secret{User: "each user"} // of any kind
	default:
		m.Secret = c.Fixed()
	}

	return m
}

// Headers returns the configured header with the secret, or nil if none is configured.
func (c Credentials) Headers() (http.Header, error) {
	if c.Type != "" {
		return nil, nil
	}
	if c.Header == "" && c.Scheme == "" {
		return nil, c.Readable()
	}
	secret, err := c.ReadSecret()
	if err != nil {
		return nil, err
	}
	name := cmp.Or(c.Header, "Authorization")
	scheme := c.Scheme
	if scheme == "" && strings.EqualFold(name, "Authorization") {
		scheme = "Bearer"
	}
	value := strings.TrimSpace(scheme + " " + secret)
	if !httpguts.ValidHeaderFieldName(name) {
		return nil, i18n.Errorf("header: %q is not the name of a header", name)
	}
	if !httpguts.ValidHeaderFieldValue(value) {
		return nil, i18n.Errorf("scheme and secret hold characters that a header cannot carry")
	}

	return http.Header{http.CanonicalHeaderKey(name): {value}}, nil
}

func (c Credentials) HasSecret() bool { return c.Secret != "" || c.Env != "" || c.File != "" }

// Readable returns why the configured secret cannot be read.
func (c Credentials) Readable() error {
	if !c.HasSecret() {
		return nil
	}
	_, err := c.ReadSecret()
	return err
}

// ReadSecret reads the secret, if one is configured.
func (c Credentials) ReadSecret() (string, error) {
	if c.Secret != "" {
		return c.Secret, nil
	}
	return Secret{Env: c.Env, File: c.File}.Read()
}

// TLSConfig returns the client certificate and the certificate authorities for an
// agent; nil if neither is configured. The certificate is read again for each
// connection, so that it can be renewed.
func (c Credentials) TLSConfig() (*tls.Config, error) {
	if c.CertFile == "" && c.KeyFile == "" && c.CAFile == "" {
		return nil, nil
	}

	out := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CertFile != "" || c.KeyFile != "" {
		load := func() (tls.Certificate, error) { return tls.LoadX509KeyPair(c.CertFile, c.KeyFile) }
		if _, err := load(); err != nil {
			return nil, i18n.Errorf("cert_file, key_file: %w", err)
		}
		out.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			certificate, err := load()
			return &certificate, err
		}
	}
	if c.CAFile != "" {
		pem, err := os.ReadFile(c.CAFile)
		if err != nil {
			return nil, i18n.Errorf("ca_file: %w", err)
		}
		out.RootCAs = x509.NewCertPool()
		if !out.RootCAs.AppendCertsFromPEM(pem) {
			return nil, i18n.Errorf("ca_file: holds no certificate in PEM")
		}
	}

	return out, nil
}

// Fixed returns the secret that is sent unchanged, or nil.
func (c Credentials) Fixed() *a2aauth.Secret {
	if header, _ := c.Headers(); header != nil || !c.HasSecret() {
		return nil
	}

	value, _ := c.ReadSecret() // as above
	return &a2aauth.Secret{
		Kind:  a2aauth.Kind(c.Type),
		Value: value,
		User:  c.User,
		In:    c.In,
		Name:  c.Name,
	}
}
