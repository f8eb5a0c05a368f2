package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// settled loads a configuration as the program does.
func settled(t *testing.T, file string, environ ...string) *Config {
	t.Helper()
	path := ""
	if file != "" {
		path = filepath.Join(t.TempDir(), "rialto.yaml")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
	cfg, err := Load(path, environ, &pflag.FlagSet{})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestAgentsFromTheEnvironment sets agents without a file, and in place of a file's agents.
func TestAgentsFromTheEnvironment(t *testing.T) {
	environ := []string{
		"RIALTO_AGENTS_0_NAME=one", "RIALTO_AGENTS_0_URL=https://one.example.com", "RIALTO_AGENTS_0_USE_CASES=claims, sales",
		"RIALTO_AGENTS_0_CREDENTIALS__TYPE=bearer", "RIALTO_AGENTS_0_CREDENTIALS__ENV=ONE_SECRET", "ONE_SECRET=secret",
		"RIALTO_AGENTS_0_SKILLS_0_ID=peek", "RIALTO_AGENTS_0_SKILLS_0_USE_CASES=claims",
		"RIALTO_AGENTS_1_NAME=two", "RIALTO_AGENTS_1_URL=https://two.example.com", "RIALTO_AGENTS_1_RETENTION=30d",
		"RIALTO_AGENTS_0_PORT=tcp://10.0.0.1:80", // of an orchestrator
	}
	for _, file := range []string{"", "agents: [{name: three, url: https://three.example.com}]\n"} {
		cfg := settled(t, file, environ...)
		if len(cfg.Agents) != 2 || cfg.Agents[0].Name != "one" || strings.Join(cfg.Agents[0].UseCases, " ") != "claims sales" || cfg.Agents[0].Credentials.Env != "ONE_SECRET" ||
			cfg.Agents[0].Skills[0].UseCases[0] != "claims" || cfg.Agents[1].Retention.String() != "30d" {
			t.Errorf("got %+v", cfg.Agents)
		}
		if warned := len(cfg.Warnings()) == 1; warned != (file != "") {
			t.Errorf("with the file %q got %q; want a warning that its agents are replaced", file, cfg.Warnings())
		}
	}
	_, err := Load("", []string{"RIALTO_AGENTS_1_NAME=two"}, &pflag.FlagSet{})
	if err == nil || !strings.Contains(err.Error(), "environment: ") || !strings.Contains(err.Error(), "without gaps") {
		t.Errorf("got %v, want an error about the gap", err)
	}
}

const long = "a secret of sixty-four characters, as the documentation asks for."

// TestAliasVariablesSetSettings sets each variable, with what it cannot do
// without, and looks where it arrives.
func TestAliasVariablesSetSettings(t *testing.T) {
	client := []string{"MCP_OAUTH_DEFAULT_CLIENT_ID=connector"}
	issuer := []string{"API_EXTERNAL_URL=https://api.example.com", "OIDC_ISSUER=https://id.example.com/oidc"}
	provider := append(issuer, "OIDC_CLIENT_ID=rialto")
	auto := append(issuer, "STAGE=stg", "MCP_OAUTH_AUTO_APPROVE_ENABLED=true")
	for _, test := range []struct {
		variable, value string
		with            []string
		got             func(*Config) string
		want            string
	}{
		{"API_EXTERNAL_URL", "https://API.example.com/", nil, func(c *Config) string { return c.URL }, "https://api.example.com"},
		{"STAGE", "stg", nil, func(c *Config) string { return c.Stage }, "stg"},
		{"MCP_OAUTH_DEFAULT_CLIENT_ID", "connector", nil, func(c *Config) string { return c.Apps.Clients[0].ID }, "connector"},
		{"MCP_OAUTH_REDIRECT_URI", "https://chatgpt.com/aip/mcp/oauth/callback", client, func(c *Config) string { return strings.Join(c.Apps.Clients[0].RedirectURIs, " ") }, "https://chatgpt.com/aip/mcp/oauth/callback"},
		{"MCP_CLAUDE_CODE_REDIRECT_URI", "https://claude.ai/api/mcp/oauth/callback", client, func(c *Config) string { return strings.Join(c.Apps.Clients[0].RedirectURIs, " ") }, "https://claude.ai/api/mcp/oauth/callback"},
		{"MCP_CHATGPT_ALLOWED_REDIRECT_PREFIXES", "https://chatgpt.com/, https://chat.openai.com/", nil, func(c *Config) string { return strings.Join(c.Apps.RedirectPrefixes, " ") }, "https://chatgpt.com/ https://chat.openai.com/"},
		{"MCP_CLAUDE_CODE_ALLOWED_REDIRECT_PREFIXES", "https://claude.ai/", []string{"MCP_CHATGPT_ALLOWED_REDIRECT_PREFIXES=https://chatgpt.com/"}, func(c *Config) string { return strings.Join(c.Apps.RedirectPrefixes, " ") }, "https://chatgpt.com/ https://claude.ai/"},
		{"MCP_OAUTH_DEFAULT_SCOPE", "mcp:tools a2a:discover", nil, func(c *Config) string { return c.Apps.DefaultScope }, "mcp:tools a2a:discover"},
		{"MCP_OAUTH_CODE_SECRET", long, nil, func(c *Config) string {
			return c.Tokens.Algorithm + " " + c.Tokens.Secret.Env + " " + c.Storage.Secret[:4]
		}, "HS256 MCP_OAUTH_CODE_SECRET " + derivedOf(t, long)},
		{"MCP_OAUTH_TOKEN_SECRET", long, []string{"MCP_OAUTH_CODE_SECRET=" + long}, func(c *Config) string { return c.Tokens.Algorithm + " " + c.Tokens.Secret.Env }, "HS256 MCP_OAUTH_TOKEN_SECRET"},
		{"MCP_OAUTH_AUTO_APPROVE_ENABLED", "true", []string{"MCP_OAUTH_AUTO_APPROVE_USECASE_ID=demo"}, func(c *Config) string { return c.SignIn.SignInMethods("")[0] }, "EVERYBODY, without a question"},
		{"MCP_OAUTH_AUTO_APPROVE_BEARER_TOKEN", "a.b.c", auto, func(c *Config) string { return c.SignIn.AutoApprove.Token.Env }, "MCP_OAUTH_AUTO_APPROVE_BEARER_TOKEN"},
		{"MCP_OAUTH_AUTO_APPROVE_USECASE_ID", "demo", auto, func(c *Config) string { return c.SignIn.AutoApprove.UseCase }, "demo"},
		{"MCP_FORCE_USECASE_ID", "usecase_abc123", nil, func(c *Config) string { return c.Calls.ForceUseCase }, "usecase_abc123"},
		{"MCP_DEFAULT_TOPIC", "claims", nil, (*Config).Topic, "claims"},
		{"MCP_DEFAULT_TOPIC", "*", nil, (*Config).Topic, ""},
		{"OIDC_ISSUER", "https://id.example.com/oidc", nil, func(c *Config) string { return c.SignIn.PastedToken.Issuer }, "https://id.example.com/oidc"},
		{"OIDC_DISCOVERY_URL", "https://id.example.com/oidc/.well-known/openid-configuration", nil, func(c *Config) string { return c.SignIn.PastedToken.Issuer }, "https://id.example.com/oidc"},
		{"OIDC_JWKS_URL", "https://id.example.com/oidc/jwks", issuer, func(c *Config) string { return c.SignIn.PastedToken.issuer(c.URL).KeysURL }, "https://id.example.com/oidc/jwks"},
		{"OIDC_ALLOWED_AUDIENCES", "https://a.example, https://b.example", issuer, func(c *Config) string { return strings.Join(c.SignIn.PastedToken.issuer(c.URL).Audiences, " ") }, "https://a.example https://b.example"},
		{"OIDC_CLIENT_ID", "rialto", issuer, func(c *Config) string { return c.SignIn.OIDC[0].ClientID + " " + c.SignIn.OIDC[0].Issuer }, "rialto https://id.example.com/oidc"},
		{"OIDC_CLIENT_SECRET", "a secret", provider, func(c *Config) string { return c.SignIn.OIDC[0].ClientSecret.Env }, "OIDC_CLIENT_SECRET"},
		{"OIDC_AUTH_URL", "https://id.example.com/auth", provider, func(c *Config) string { return c.SignIn.OIDC[0].AuthorizationURL }, "https://id.example.com/auth"},
		{"OIDC_TOKEN_URL", "https://id.example.com/token", provider, func(c *Config) string { return c.SignIn.OIDC[0].TokenURL }, "https://id.example.com/token"},
		{"OIDC_USERINFO_URL", "https://id.example.com/me", provider, func(c *Config) string { return c.SignIn.OIDC[0].UserInfoURL }, "https://id.example.com/me"},
	} {
		t.Run(test.variable+"="+test.value, func(t *testing.T) {
			with := test.with
			if strings.Contains(test.variable, "BEARER") {
				with = append(with[:len(with):len(with)], "MCP_OAUTH_AUTO_APPROVE_USECASE_ID=demo")
			}
			cfg := settled(t, "", append(with[:len(with):len(with)], test.variable+"="+test.value)...)
			if got := test.got(cfg); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			// One secret for two purposes is something to know of.
			if shared := test.variable == "MCP_OAUTH_CODE_SECRET" && len(with) == 0; shared != (len(cfg.origin.notes) > 0) {
				t.Errorf("got notes %q, want one: %t", cfg.origin.notes, shared)
			}
		})
	}
	doc, err := os.ReadFile("../../../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range aliases() {
		if !strings.Contains(string(doc), "`"+v.Name+"`") {
			t.Errorf("docs/configuration.md does not explain %s", v.Name)
		}
	}
}

func derivedOf(t *testing.T, secret string) string {
	t.Helper()
	derived, err := deriveSecret(secret)
	if err != nil {
		t.Fatal(err)
	}
	return derived[:4]
}

func TestKeysWinOverAliasVariables(t *testing.T) {
	cfg := settled(t, "url: https://rialto.example.com\nsign_in:\n  pasted_token:\n    issuer: https://mine.example.com\ntokens:\n  algorithm: ES256\n",
		"API_EXTERNAL_URL=https://api.example.com", "OIDC_ISSUER=https://id.example.com", "MCP_OAUTH_TOKEN_SECRET="+long, "STAGE=stg", "RIALTO_STAGE=prod")
	if cfg.URL != "https://rialto.example.com" || cfg.SignIn.PastedToken.Issuer != "https://mine.example.com" || cfg.Tokens.Algorithm != "ES256" || cfg.Stage != "prod" {
		t.Errorf("got %s, %s, %s, %s", cfg.URL, cfg.SignIn.PastedToken.Issuer, cfg.Tokens.Algorithm, cfg.Stage)
	}
	notes := strings.Join(cfg.origin.notes, "\n")
	for _, name := range []string{"API_EXTERNAL_URL is not used, because url is set", "STAGE", "MCP_OAUTH_TOKEN_SECRET", "OIDC_ISSUER"} {
		if !strings.Contains(notes, name) {
			t.Errorf("got notes %q, want one about %s", notes, name)
		}
	}
}

// TestAddressesOfProvidersAreInForce requires that an address whose keys are trusted is listed, and
// so audited, and that it is used beside an issuer of the file.
func TestAddressesOfProvidersAreInForce(t *testing.T) {
	cfg := settled(t, "sign_in:\n  pasted_token:\n    issuer: https://mine.example.com\n",
		"OIDC_JWKS_URL=https://keys.example.com/jwks", "OIDC_CLIENT_ID=rialto", "OIDC_TOKEN_URL=https://id.example.com/token")
	inForce := map[string]string{}
	for _, s := range cfg.Settings() {
		inForce[s.Key] = s.Value
	}
	for key, want := range map[string]string{
		"sign_in.pasted_token.jwks_url": "https://keys.example.com/jwks",
		"sign_in.oidc[0].jwks_url":      "https://keys.example.com/jwks",
		"sign_in.oidc[0].token_url":     "https://id.example.com/token",
	} {
		if got := inForce[key]; got != want {
			t.Errorf("%s: got %q, want %q", key, got, want)
		}
	}
}

func TestInvalidVariablesAreRejected(t *testing.T) {
	for _, environ := range [][]string{
		{"MCP_OAUTH_CODE_SECRET=short"},
		{"MCP_OAUTH_AUTO_APPROVE_ENABLED=maybe"},
		{"API_EXTERNAL_URL=https://api.example.com", "MCP_OAUTH_AUTO_APPROVE_ENABLED=true", "MCP_OAUTH_AUTO_APPROVE_USECASE_ID=demo"}, // public
		{"API_EXTERNAL_URL=https://api.example.com", "STAGE=prod", "MCP_OAUTH_AUTO_APPROVE_ENABLED=true", "MCP_OAUTH_AUTO_APPROVE_USECASE_ID=demo"},
		{"MCP_CHATGPT_ALLOWED_REDIRECT_PREFIXES=chatgpt.com"},
		{"MCP_OAUTH_DEFAULT_SCOPE=mcp:tolls"},
		{"MCP_FORCE_USECASE_ID=two words"},
	} {
		if _, err := Load("", environ, &pflag.FlagSet{}); err == nil {
			t.Errorf("%q: got no error", environ)
		} else if strings.Contains(err.Error(), "short\"") {
			t.Errorf("%q: the error tells the secret", environ)
		}
	}
}
