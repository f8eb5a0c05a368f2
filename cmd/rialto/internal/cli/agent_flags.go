package cli

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rialto/bridge/directory"
	"rialto/cmd/rialto/internal/config"
)

// agentFlags are the flags that set up an agent. Those of its settings come from the
// table in cmd/rialto/internal/config.
type agentFlags struct {
	name, url             string
	skills                []string
	secretEnv, secretFile string
}

func (f *agentFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	for _, s := range config.AgentFlags() {
		switch config.Type(s.Key).Kind() {
		case reflect.Bool:
			flags.Bool(s.Flag, false, s.Usage)
		case reflect.Slice:
			flags.StringSlice(s.Flag, nil, s.Usage)
		default:
			flags.String(s.Flag, "", s.Usage)
		}
	}
	flags.StringArrayVar(
		&f.skills,
		"skill-use-case",
		nil,
		"`SKILL=CASE,CASE`: use cases whose callers see a skill (repeatable; default: all who see the agent)",
	)
	textFlag(
		cmd,
		&f.secretEnv,
		"secret-env",
		"`variable` with the secret that authenticates this server to the agent",
	)
	textFlag(cmd, &f.secretFile, "secret-file", "`file` with that secret")
}

// over returns an agent with the settings changed whose flags are given.
func (f *agentFlags) over(
	given *pflag.FlagSet, a directory.AgentConfig,
) (directory.AgentConfig, error) {
	if auth := given.Lookup("auth"); auth.Changed && auth.Value.String() != a.Credentials.Type {
		a.Credentials = directory.Credentials{}
	}

	for _, s := range config.AgentFlags() {
		flag := given.Lookup(s.Flag)
		if !flag.Changed {
			continue
		}
		var value any = flag.Value.String()
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			value = list.GetSlice()
		}
		if err := config.SetAgent(&a, map[string]any{s.Key: value}); err != nil {
			_, why, _ := strings.Cut(err.Error(), ": ") // after the key
			return a, fmt.Errorf("--%s: %s", s.Flag, why)
		}
	}

	if given.Changed("skill-use-case") {
		skills, err := directory.ParseSkills(f.skills)
		if err != nil {
			return a, fmt.Errorf("--skill-use-case: %w", err)
		}
		a.Skills = skills
	}
	if f.secretEnv != "" || f.secretFile != "" {
		secret, err := config.Secret{Env: f.secretEnv, File: f.secretFile}.Read()
		if err != nil {
			return a, fmt.Errorf("--secret-env, --secret-file: %w", err)
		}
		a.Credentials.Secret = secret
	}

	a.URL = cmp.Or(f.url, a.URL)
	return a, nil
}

// errTwoSecrets is returned for flags that exclude each other.
var errTwoSecrets = errors.New("--no-secret, --secret-env, --secret-file: give one of them")
