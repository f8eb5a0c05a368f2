package cli

import (
	"time"

	"github.com/spf13/cobra"

	"rialto/bridge/operator"
)

func keysCommand() *cobra.Command {
	cmd := command("keys", "Manage the keys that sign access tokens")
	cmd.AddCommand(
		rotateKeysCommand(),
		removeCommand("keys"),
		listCommand("keys", "List the signing keys, oldest first"),
	)
	return cmd
}

func rotateKeysCommand() *cobra.Command {
	return withOperator(
		command("rotate", "Replace the signing key; existing tokens stay valid"),
		func(r *request) error {
			key, err := r.RotateKeys(r.ctx, operator.CommandLine)
			if err != nil {
				return err
			}
			return r.done(
				key,
				"The key %s signs from %s on.",
				key.ID,
				key.Active.Format(time.RFC3339),
			)
		},
	)
}
