package config

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/knadh/koanf/v2"
)

// aliasVariable is a variable with another name that sets settings.
type aliasVariable struct {
	name string
	keys []string // of ours that it sets; the first of them that is set wins over it
	set  func(c *Config, value string) error
}

// aliasVariables lists them by precedence; docs/configuration.md explains each. Secrets
// are read where they are used and not copied.
func aliasVariables() []aliasVariable {
	text := func(field func(*Config) *string) func(*Config, string) error {
		return func(c *Config, value string) error { *field(c) = value; return nil }
	}
	prefixes := func(c *Config, value string) error {
		c.RedirectPrefixes = append(c.RedirectPrefixes, listOf(value)...)
		return nil
	}
	const pasted, provider, auto = "sign_in.pasted_token", "sign_in.oidc", "sign_in.auto_approve"
	return []aliasVariable{
		{"API_EXTERNAL_URL", []string{"url"}, text(func(c *Config) *string { return &c.URL })},
		{"STAGE", []string{"stage"}, text(func(c *Config) *string { return &c.Stage })},
		{"MCP_OAUTH_DEFAULT_CLIENT_ID", []string{"clients"}, (*Config).addDefaultClient},
		{"MCP_OAUTH_REDIRECT_URI", []string{"clients"}, (*Config).addDefaultRedirect},
		{"MCP_CLAUDE_CODE_REDIRECT_URI", []string{"clients"}, (*Config).addDefaultRedirect},
		{"MCP_CHATGPT_ALLOWED_REDIRECT_PREFIXES", []string{"redirect_prefixes"}, prefixes},
		{"MCP_CLAUDE_CODE_ALLOWED_REDIRECT_PREFIXES", []string{"redirect_prefixes"}, prefixes},
		{"MCP_OAUTH_DEFAULT_SCOPE", []string{"default_scope"}, text(func(c *Config) *string { return &c.DefaultScope })},
		{"MCP_OAUTH_CODE_SECRET", []string{"secret", "secret_file"}, (*Config).deriveSecret},
		{"MCP_OAUTH_TOKEN_SECRET", []string{"tokens"}, func(c *Config, _ string) error { return c.shareSecret("MCP_OAUTH_TOKEN_SECRET") }},
		{"MCP_OAUTH_AUTO_APPROVE_ENABLED", []string{auto + ".enabled"}, (*Config).enableAutoApprove},
		{"MCP_OAUTH_AUTO_APPROVE_BEARER_TOKEN", []string{auto + ".token"}, func(c *Config, _ string) error {
			c.SignIn.AutoApprove.Token = Secret{Env: "MCP_OAUTH_AUTO_APPROVE_BEARER_TOKEN"}
			return nil
		}},
		{"MCP_OAUTH_AUTO_APPROVE_USECASE_ID", []string{auto + ".usecase"}, text(func(c *Config) *string { return &c.SignIn.AutoApprove.UseCase })},
		{"MCP_FORCE_USECASE_ID", []string{"force_usecase"}, text(func(c *Config) *string { return &c.ForceUseCase })},
		{"MCP_DEFAULT_TOPIC", []string{"default_topic"}, text(func(c *Config) *string { return &c.DefaultTopic })},
		{"OIDC_DISCOVERY_URL", []string{pasted + ".issuer"}, func(c *Config, value string) error {
			c.SignIn.PastedToken.Issuer = strings.TrimSuffix(value, "/.well-known/openid-configuration")
			return nil
		}},
		{"OIDC_ISSUER", []string{pasted + ".issuer"}, text(func(c *Config) *string { return &c.SignIn.PastedToken.Issuer })},
		{"OIDC_JWKS_URL", []string{pasted + ".jwks_url"}, text(func(c *Config) *string { return &c.SignIn.PastedToken.JWKSURL })},
		{"OIDC_ALLOWED_AUDIENCES", []string{pasted + ".audiences"}, func(c *Config, value string) error {
			c.SignIn.PastedToken.Audiences = listOf(value)
			return nil
		}},
		{"OIDC_CLIENT_ID", []string{provider}, (*Config).addProvider},
		{"OIDC_CLIENT_SECRET", []string{provider}, ofProvider(func(p *Provider, _ string) { p.ClientSecret = Secret{Env: "OIDC_CLIENT_SECRET"} })},
		{"OIDC_AUTH_URL", []string{provider}, ofProvider(func(p *Provider, value string) { p.AuthorizationURL = value })},
		{"OIDC_TOKEN_URL", []string{provider}, ofProvider(func(p *Provider, value string) { p.TokenURL = value })},
		{"OIDC_USERINFO_URL", []string{provider}, ofProvider(func(p *Provider, value string) { p.UserInfoURL = value })},
	}
}

// applyAliases sets what variables say, unless the setting is set under its own key. It
// records conflicts as warnings.
func (c *Config) applyAliases(environ []string, explicit *koanf.Koanf) error {
	set := map[string]string{}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		set[name] = strings.TrimSpace(value)
	}
	if set["MCP_OAUTH_TOKEN_SECRET"] == "" && set["MCP_OAUTH_CODE_SECRET"] != "" && !explicit.Exists("tokens") {
		c.sources["tokens"] = "environment"
		if err := c.shareSecret("MCP_OAUTH_CODE_SECRET"); err != nil {
			return err
		}
		if !explicit.Exists("secret") && !explicit.Exists("secret_file") {
			c.notes = append(c.notes, "MCP_OAUTH_CODE_SECRET also signs access tokens, because MCP_OAUTH_TOKEN_SECRET is not set: a resource server that has it to verify tokens can decrypt secrets of the database. Set MCP_OAUTH_TOKEN_SECRET to another secret")
		}
	}
	for _, v := range aliasVariables() {
		if set[v.name] == "" {
			continue
		}
		if i := slices.IndexFunc(v.keys, explicit.Exists); i >= 0 {
			c.notes = append(c.notes, fmt.Sprintf("the variable %s is not used, because %s is set", v.name, v.keys[i]))
			continue
		}
		if err := v.set(c, set[v.name]); err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
		c.sources[v.keys[0]] = "environment"
	}
	return nil
}

// defaultClient returns the client that variables describe, or nil.
func (c *Config) defaultClient() *Client {
	i := slices.IndexFunc(c.Clients, func(client Client) bool { return client.variable })
	if i < 0 {
		return nil
	}
	return &c.Clients[i]
}

func (c *Config) addDefaultClient(id string) error {
	c.Clients = append(c.Clients, Client{ID: id, variable: true})
	return nil
}

// addDefaultRedirect adds a redirect URI to that client, if there is one.
func (c *Config) addDefaultRedirect(uri string) error {
	if client := c.defaultClient(); client != nil {
		client.RedirectURIs = append(client.RedirectURIs, uri)
	}
	return nil
}

// deriveSecret derives the key from a secret of another form.
func (c *Config) deriveSecret(value string) error {
	if len(value) < 32 {
		return fmt.Errorf("it is shorter than 32 characters (make one with: openssl rand -base64 48)")
	}
	key, err := hkdf.Key(sha256.New, []byte(value), nil, "rialto secret", 32)
	c.Secret = base64.StdEncoding.EncodeToString(key)
	return err
}

// shareSecret signs access tokens with a shared secret.
func (c *Config) shareSecret(name string) error {
	c.Tokens.Algorithm, c.Tokens.Secret = "HS256", Secret{Env: name}
	return nil
}

func (c *Config) enableAutoApprove(value string) (err error) {
	c.SignIn.AutoApprove.Enabled, err = strconv.ParseBool(value)
	if err != nil {
		return fmt.Errorf("%q is not true or false", value)
	}
	return nil
}

// addProvider makes the issuer of pasted tokens a provider to sign in with.
func (c *Config) addProvider(clientID string) error {
	pasted := c.SignIn.PastedToken
	c.SignIn.OIDC = append(c.SignIn.OIDC, Provider{ID: "oidc", Name: "OpenID", Issuer: pasted.Issuer, JWKSURL: pasted.JWKSURL, ClientID: clientID, variable: true})
	return nil
}

// ofProvider sets something of the provider that variables describe, if there is one.
// Without OIDC_CLIENT_ID the issuer is for pasted tokens only.
func ofProvider(set func(*Provider, string)) func(*Config, string) error {
	return func(c *Config, value string) error {
		if i := slices.IndexFunc(c.SignIn.OIDC, func(p Provider) bool { return p.variable }); i >= 0 {
			set(&c.SignIn.OIDC[i], value)
		}
		return nil
	}
}

// listOf splits a list at its commas.
func listOf(value string) []string {
	var all []string
	for item := range strings.SplitSeq(value, ",") {
		if item = strings.TrimSpace(item); item != "" {
			all = append(all, item)
		}
	}
	return all
}

// Topic returns the topic for agents; "" is none. "*", "any" and "all" mean none.
func (c *Config) Topic() string {
	if slices.Contains([]string{"*", "any", "all"}, strings.ToLower(c.DefaultTopic)) {
		return ""
	}
	return c.DefaultTopic
}
