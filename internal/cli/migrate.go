package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"rialto/internal/config"
	"rialto/internal/store"
)

func migrateCommand() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Create the tables of the database, or bring them up to date",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.Load(path, os.Environ(), cmd.Flags())
			if err != nil {
				return err
			}
			if kind, _ := config.EngineOf(cfg.Database); kind == config.Memory {
				return config.ErrInMemory
			}
			before, after, err := store.Migrate(cmd.Context(), cfg.Database)
			if err != nil {
				return fmt.Errorf("database: %w", err)
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
	}
	configFlags(cmd, &path)
	cmd.Flags().Bool("json", false, "write JSON")
	return cmd
}
