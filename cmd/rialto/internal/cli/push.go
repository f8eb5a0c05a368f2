package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"rialto/store"
)

// maxFailedPush limits the list of undeliverable notifications.
const maxFailedPush = 1000

func pushCommand() *cobra.Command {
	cmd := command("push", "Manage push notifications to A2A clients")
	cmd.AddCommand(deadPushCommand(), retryPushCommand())
	return cmd
}

func deadPushCommand() *cobra.Command {
	return withDatabase(
		command("dead", "List the undeliverable notifications, latest first"),
		func(cmd *cobra.Command, db *store.DB) error {
			dead, err := db.Ledger.Outbox().DeadNotices(cmd.Context(), maxFailedPush)
			if wantsJSON(cmd) && err == nil {
				return writeJSON(cmd.OutOrStdout(), dead)
			}
			for _, n := range dead {
				fmt.Fprintf(
					cmd.OutOrStdout(),
					"%s  task %s  %s  to %s  after %d attempts: %s\n",
					time.UnixMilli(n.Version).UTC().Format(time.RFC3339),
					n.Handle,
					n.Task.Status.State,
					n.Host,
					n.Attempts,
					n.Failure,
				)
			}
			return err
		},
	)
}

func retryPushCommand() *cobra.Command {
	return withDatabase(
		command("retry", "Retry the undeliverable notifications"),
		func(cmd *cobra.Command, db *store.DB) error {
			n, err := db.Ledger.Outbox().RetryDeadNotices(cmd.Context(), time.Now())
			if err != nil {
				return err
			}
			return done(cmd, map[string]int{"retried": n}, "%d notifications will be retried.", n)
		},
	)
}

// withDatabase runs a command on the database of a server or of the demo.
func withDatabase(cmd *cobra.Command, do func(*cobra.Command, *store.DB) error) *cobra.Command {
	var from storeFlags
	from.add(cmd)
	jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		_, db, err := from.open(cmd)
		if err != nil {
			return err
		}
		defer db.Close()
		return do(cmd, db)
	}
	return cmd
}
