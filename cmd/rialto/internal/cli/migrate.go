package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"rialto/cmd/rialto/internal/config"
	"rialto/store"
)

func migrateCommand() *cobra.Command {
	return withConfig(
		command("migrate", "Create the tables of the database, or bring them up to date"),
		func(cmd *cobra.Command, cfg *config.Config) error {
			if cfg.Storage.Database == store.Memory {
				return config.ErrInMemory
			}
			before, after, err := store.Migrate(cmd.Context(), cfg.Storage.Database)
			if err != nil {
				return databaseError(err)
			}
			text := fmt.Sprintf("The tables were brought from version %d to %d.", before, after)
			switch before {
			case 0:
				text = fmt.Sprintf("The tables were created in version %d.", after)
			case after:
				text = fmt.Sprintf("The tables are up to date, in version %d.", after)
			}
			return done(cmd, map[string]int64{"before": before, "after": after}, "%s", text)
		},
	)
}
