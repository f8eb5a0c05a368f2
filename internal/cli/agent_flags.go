package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/internal/config"
)

// agentFlags are how an agent is set up on a command line.
type agentFlags struct {
	directory.Settings
	protocol, binding, retention string
	secretEnv, secretFile        string
	skills                       []string
	json                         bool
}

// add puts the flags on cmd. What f holds stays where a flag is not given.
func (f *agentFlags) add(cmd *cobra.Command) {
	flags, c := cmd.Flags(), &f.Credentials
	for _, text := range []struct {
		to          *string
		name, usage string
	}{
		{&f.protocol, "protocol", "A2A `generation`: 0.1, 0.2, 0.3 or 1.0 (default: found out)"},
		{&f.binding, "binding", "`binding`: JSONRPC, HTTP+JSON or GRPC (default: found out)"},
		{&f.retention, "retention", "how long its settled tasks are kept: a `time` such as 90d"},
		{&f.Card.Keys, "card-keys", "https `address` of the keys that sign its card"},
		{&f.secretEnv, "secret-env", "`variable` with the secret that proves to the agent who calls"},
		{&f.secretFile, "secret-file", "`file` with that secret"},
		{&c.Type, "auth", "`how` the secret is used: bearer, basic, api_key, client_credentials, token_exchange, user (default: as the card asks)"},
		{&c.Header, "auth-header", "`header` that it goes into"},
		{&c.Scheme, "auth-scheme", "`word` before it in the header"},
		{&c.User, "auth-user", "`name` that goes with a password"},
		{&c.In, "auth-in", "`place` of an API key: header, query or cookie"},
		{&c.Name, "auth-name", "`name` of an API key there"},
		{&c.TokenURL, "auth-token-url", "`address` of the token endpoint"},
		{&c.ClientID, "auth-client-id", "`id` of this server there"},
		{&c.ClientAuth, "auth-client-auth", "`how` the secret is sent there: basic or post"},
		{&c.Audience, "auth-audience", "`audience` of the tokens"},
		{&c.Resource, "auth-resource", "`resource` of the tokens"},
	} {
		flags.StringVar(text.to, text.name, *text.to, text.usage)
	}
	flags.StringSliceVar(&c.Scopes, "auth-scope", c.Scopes, "`scope` of the tokens (repeatable)")
	flags.StringSliceVar(&f.UseCases, "use-case", f.UseCases, "`use case` whose callers see the agent (repeatable; default: everybody)")
	flags.StringArrayVar(&f.skills, "skill-use-case", directory.SkillLines(f.Skills), "`SKILL=CASE,CASE`: use cases whose callers see a skill (repeatable; default: all who see the agent)")
	flags.BoolVar(&f.SkillsAsTools, "skills-as-tools", f.SkillsAsTools, "make an MCP tool of each of its skills")
	flags.BoolVar(&f.Review, "review", f.Review, "let a changed card wait until it is accepted")
	flags.BoolVar(&f.json, "json", f.json, "write JSON")
}

// agent returns what the flags say of the agent at url.
func (f *agentFlags) agent(url string) (directory.Settings, error) {
	a := f.Settings
	a.URL, a.Protocol, a.Binding, a.Retention = url, a2a.Generation(f.protocol), a2a.Binding(f.binding), 0
	var err error
	if a.Skills, err = directory.ParseSkills(f.skills); err != nil {
		return a, fmt.Errorf("--skill-use-case: %w", err)
	}
	if f.retention != "" {
		if a.Retention, err = directory.ParseDuration(f.retention); err != nil {
			return a, fmt.Errorf("--retention: %q is not a length of time such as 24h or 90d", f.retention)
		}
	}
	if f.secretEnv != "" || f.secretFile != "" {
		if a.Credentials.Secret, err = (config.Credentials{Env: f.secretEnv, File: f.secretFile}).ReadSecret(); err != nil {
			return a, fmt.Errorf("--secret-env, --secret-file: %w", err)
		}
	}
	return a, nil
}
