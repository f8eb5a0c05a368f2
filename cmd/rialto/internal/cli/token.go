package cli

import (
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rialto/bridge/operator"
	"rialto/oauth"
)

func tokenCommand() *cobra.Command {
	var (
		user  string
		of    string
		scope string
		ttl   time.Duration
	)
	cmd := command("token --user NAME", "Print an access token, for curl and scripts")
	textFlag(cmd, &user, "user", "account `name` that the token is for")
	cmd.Flags().StringVar(
		&scope,
		"scope",
		oauth.ScopeTools,
		"`scopes` of the token, separated by spaces",
	)
	textFlag(
		cmd, &of, "connector", "`name` of the connector that the token is for (default: the whole server)",
	)
	cmd.Flags().DurationVar(&ttl, "ttl", time.Hour, "lifetime of the token")
	cmd.MarkFlagRequired("user")
	completeFrom(cmd, "user", "accounts")
	completeFrom(cmd, "connector", "connectors")
	complete(cmd, "scope", oauth.ScopeTools)
	return withOperator(cmd, func(r *request) error {
		token, _, err := r.IssueToken(
			r.ctx, operator.CommandLine, of, user, strings.Fields(scope), ttl,
		)
		switch {
		case errors.Is(err, operator.ErrNotFound):
			return r.entryError("connectors", of, err)
		case err != nil:
			return err
		}
		return r.done(map[string]string{"access_token": token}, "%s", token)
	})
}
