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

// aliases lists the variables with other names, by precedence, with the settings that each sets: one
// that is set under its own key wins. docs/configuration.md explains each of them.
var aliases = []struct{ name, settings string }{
	{"API_EXTERNAL_URL", "url"},
	{"STAGE", "stage"},
	{"MCP_OAUTH_DEFAULT_CLIENT_ID", "clients"},
	{"MCP_OAUTH_REDIRECT_URI", "clients"},
	{"MCP_CLAUDE_CODE_REDIRECT_URI", "clients"},
	{"MCP_CHATGPT_ALLOWED_REDIRECT_PREFIXES", "redirect_prefixes"},
	{"MCP_CLAUDE_CODE_ALLOWED_REDIRECT_PREFIXES", "redirect_prefixes"},
	{"MCP_OAUTH_DEFAULT_SCOPE", "default_scope"},
	{"MCP_OAUTH_CODE_SECRET", "secret secret_file"},
	{"MCP_OAUTH_TOKEN_SECRET", "tokens"},
	{"MCP_OAUTH_AUTO_APPROVE_ENABLED", "sign_in.auto_approve.enabled"},
	{"MCP_OAUTH_AUTO_APPROVE_BEARER_TOKEN", "sign_in.auto_approve.token"},
	{"MCP_OAUTH_AUTO_APPROVE_USECASE_ID", "sign_in.auto_approve.usecase"},
	{"MCP_FORCE_USECASE_ID", "force_usecase"},
	{"MCP_DEFAULT_TOPIC", "default_topic"},
	{"OIDC_DISCOVERY_URL", "sign_in.pasted_token.issuer"},
	{"OIDC_ISSUER", "sign_in.pasted_token.issuer"},
	{"OIDC_JWKS_URL", "sign_in.pasted_token.jwks_url"},
	{"OIDC_ALLOWED_AUDIENCES", "sign_in.pasted_token.audiences"},
	{"OIDC_CLIENT_ID", "sign_in.oidc"},
	{"OIDC_CLIENT_SECRET", "sign_in.oidc"},
	{"OIDC_AUTH_URL", "sign_in.oidc"},
	{"OIDC_TOKEN_URL", "sign_in.oidc"},
	{"OIDC_USERINFO_URL", "sign_in.oidc"},
}

// setAlias sets what one of these variables says. Secrets are read where they are used and not copied.
func (c *Config) setAlias(name, value string) (err error) {
	pasted := &c.SignIn.PastedToken
	switch name {
	case "API_EXTERNAL_URL":
		c.URL = value
	case "STAGE":
		c.Stage = value
	case "MCP_OAUTH_DEFAULT_CLIENT_ID":
		c.Apps.Clients = append(c.Apps.Clients, Client{ID: value})
	case "MCP_OAUTH_REDIRECT_URI", "MCP_CLAUDE_CODE_REDIRECT_URI":
		for i := range c.Apps.Clients { // at most that client
			c.Apps.Clients[i].RedirectURIs = append(c.Apps.Clients[i].RedirectURIs, value)
		}
	case "MCP_CHATGPT_ALLOWED_REDIRECT_PREFIXES", "MCP_CLAUDE_CODE_ALLOWED_REDIRECT_PREFIXES":
		c.Apps.RedirectPrefixes = append(c.Apps.RedirectPrefixes, listOf(value)...)
	case "MCP_OAUTH_DEFAULT_SCOPE":
		c.Apps.DefaultScope = value
	case "MCP_OAUTH_CODE_SECRET":
		c.Storage.Secret, err = deriveSecret(value)
	case "MCP_OAUTH_TOKEN_SECRET":
		c.shareSecret(name)
	case "MCP_OAUTH_AUTO_APPROVE_ENABLED":
		c.SignIn.AutoApprove.Enabled, err = strconv.ParseBool(value)
		if err != nil {
			err = fmt.Errorf("%q is not true or false", value)
		}
	case "MCP_OAUTH_AUTO_APPROVE_BEARER_TOKEN":
		c.SignIn.AutoApprove.Token = Secret{Env: name}
	case "MCP_OAUTH_AUTO_APPROVE_USECASE_ID":
		c.SignIn.AutoApprove.UseCase = value
	case "MCP_FORCE_USECASE_ID":
		c.Calls.ForceUseCase = value
	case "MCP_DEFAULT_TOPIC":
		c.Calls.DefaultTopic = value
	case "OIDC_DISCOVERY_URL":
		pasted.Issuer = strings.TrimSuffix(value, "/.well-known/openid-configuration")
	case "OIDC_ISSUER":
		pasted.Issuer = value
	case "OIDC_JWKS_URL":
		pasted.KeysURL = value
	case "OIDC_ALLOWED_AUDIENCES":
		pasted.Audiences = listOf(value)
	case "OIDC_CLIENT_ID": // the issuer of pasted tokens is a provider to sign in with
		c.SignIn.OIDC = append(c.SignIn.OIDC, Provider{
			ID:       "oidc",
			Name:     "OpenID",
			Issuer:   pasted.Issuer,
			ClientID: value,
			KeysURL:  pasted.KeysURL,
		})
	default:
		for i := range c.SignIn.OIDC { // at most that provider
			c.SignIn.OIDC[i].setAlias(name, value)
		}
	}

	return err
}

func (p *Provider) setAlias(name, value string) {
	switch name {
	case "OIDC_CLIENT_SECRET":
		p.ClientSecret = Secret{Env: name}
	case "OIDC_AUTH_URL":
		p.AuthorizationURL = value
	case "OIDC_TOKEN_URL":
		p.TokenURL = value
	case "OIDC_USERINFO_URL":
		p.UserInfoURL = value
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

	if set["MCP_OAUTH_TOKEN_SECRET"] == "" && set["MCP_OAUTH_CODE_SECRET"] != "" &&
		!explicit.Exists("tokens") {
		c.origin.sources["tokens"] = "environment"
		c.shareSecret("MCP_OAUTH_CODE_SECRET")
		if !explicit.Exists("secret") && !explicit.Exists("secret_file") {
			c.origin.notes = append(
				c.origin.notes,
				"MCP_OAUTH_CODE_SECRET also signs access tokens, because MCP_OAUTH_TOKEN_SECRET is not set: a resource server that has it to verify tokens can decrypt secrets of the database. Set MCP_OAUTH_TOKEN_SECRET to another secret",
			)
		}
	}

	for _, alias := range aliases {
		if set[alias.name] == "" {
			continue
		}
		keys := strings.Fields(alias.settings)
		if i := slices.IndexFunc(keys, explicit.Exists); i >= 0 {
			c.origin.notes = append(
				c.origin.notes,
				fmt.Sprintf("the variable %s is not used, because %s is set", alias.name, keys[i]),
			)
			continue
		}
		if err := c.setAlias(alias.name, set[alias.name]); err != nil {
			return fmt.Errorf("%s: %w", alias.name, err)
		}
		c.origin.sources[keys[0]] = "environment"
	}

	return nil
}

// deriveSecret derives the key from a secret of another form.
func deriveSecret(value string) (string, error) {
	if len(value) < 32 {
		return "", fmt.Errorf(
			"it is shorter than 32 characters (make one with: openssl rand -base64 48)",
		)
	}
	key, err := hkdf.Key(sha256.New, []byte(value), nil, "rialto secret", 32)
	return base64.StdEncoding.EncodeToString(key), err
}

// shareSecret signs access tokens with the shared secret in a variable.
func (c *Config) shareSecret(name string) {
	c.Tokens.Algorithm = "HS256"
	c.Tokens.Secret = Secret{Env: name}
}

// listOf splits a list at its commas.
func listOf(value string) []string {
	var all []string
	for item := range strings.SplitSeq(value, ",") {
		item = strings.TrimSpace(item)
		if item != "" {
			all = append(all, item)
		}
	}
	return all
}

// Topic returns the topic for agents; "" is none. "*", "any" and "all" mean none.
func (c *Config) Topic() string {
	if slices.Contains([]string{"*", "any", "all"}, strings.ToLower(c.Calls.DefaultTopic)) {
		return ""
	}
	return c.Calls.DefaultTopic
}
