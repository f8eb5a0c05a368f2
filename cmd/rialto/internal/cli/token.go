package cli

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rialto/bridge/operator"
	"rialto/oauth"
)

func tokenCommand() *cobra.Command {
	var (
		user  string
		scope string
		ttl   time.Duration
	)
	cmd := command("token --user NAME", "Print an access token, for curl and scripts")
	cmd.Flags().StringVar(&user, "user", "", "account `name` that the token is for")
	cmd.Flags().StringVar(
		&scope,
		"scope",
		oauth.ScopeTools,
		"`scopes` of the token, separated by spaces",
	)
	cmd.Flags().DurationVar(&ttl, "ttl", time.Hour, "lifetime of the token")
	cmd.MarkFlagRequired("user")
	completeFrom(cmd, "user", "accounts")
	complete(cmd, "scope", oauth.ScopeTools)
	return withOperator(cmd, func(r *request) error {
		token, err := r.IssueToken(r.ctx, operator.CommandLine, user, strings.Fields(scope), ttl)
		if err != nil {
			return err
		}
		return r.done(map[string]string{"access_token": token}, "%s", token)
	})
}
