package config

import (
	"crypto/hkdf"
	"crypto/sha256"
	_ "embed" // for aliases.yaml
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/knadh/koanf/v2"

	"rialto/internal/embedded"
)

//go:embed aliases.yaml
var aliasFile []byte

// aliases lists the variables with other names, by precedence, with the settings that each sets.
var aliases = embedded.YAML[[]alias](aliasFile)

type alias struct {
	Name     string
	Settings []string
}

// setAlias sets what one of these variables says. Secrets are read where they are used and not copied.
func (c *Config) setAlias(name, key, value string) (err error) {
	pasted := &c.SignIn.PastedToken
	switch name {
	case "MCP_OAUTH_DEFAULT_CLIENT_ID":
		c.Apps.Clients = append(c.Apps.Clients, Client{ID: value})
	case "MCP_OAUTH_REDIRECT_URI", "MCP_CLAUDE_CODE_REDIRECT_URI":
		for i := range c.Apps.Clients { // at most that client
			c.Apps.Clients[i].RedirectURIs = append(c.Apps.Clients[i].RedirectURIs, value)
		}
	case "MCP_CHATGPT_ALLOWED_REDIRECT_PREFIXES", "MCP_CLAUDE_CODE_ALLOWED_REDIRECT_PREFIXES":
		c.Apps.RedirectPrefixes = append(c.Apps.RedirectPrefixes, listOf(value)...)
	case "MCP_OAUTH_CODE_SECRET":
		c.Storage.Secret, err = deriveSecret(value)
	case "MCP_OAUTH_TOKEN_SECRET":
		c.shareSecret(name)
	case "MCP_OAUTH_AUTO_APPROVE_BEARER_TOKEN":
		c.SignIn.AutoApprove.Token = Secret{Env: name}
	case "OIDC_DISCOVERY_URL":
		pasted.Issuer = strings.TrimSuffix(value, "/.well-known/openid-configuration")
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
	case "OIDC_CLIENT_SECRET", "OIDC_AUTH_URL", "OIDC_TOKEN_URL", "OIDC_USERINFO_URL":
		for i := range c.SignIn.OIDC { // at most that provider
			c.SignIn.OIDC[i].setAlias(name, value)
		}
	default:
		err = set(c, map[string]any{key: value})
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
	variables := map[string]string{}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		variables[name] = strings.TrimSpace(value)
	}

	if variables["MCP_OAUTH_TOKEN_SECRET"] == "" && variables["MCP_OAUTH_CODE_SECRET"] != "" &&
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

	for _, alias := range aliases() {
		if variables[alias.Name] == "" {
			continue
		}
		keys := alias.Settings
		if i := slices.IndexFunc(keys, explicit.Exists); i >= 0 {
			c.origin.notes = append(
				c.origin.notes,
				fmt.Sprintf("the variable %s is not used, because %s is set", alias.Name, keys[i]),
			)
			continue
		}
		if err := c.setAlias(alias.Name, keys[0], variables[alias.Name]); err != nil {
			return fmt.Errorf("%s: %w", alias.Name, err)
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
