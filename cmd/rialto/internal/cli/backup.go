package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"rialto/cmd/rialto/internal/config"
	"rialto/cmd/rialto/internal/term"
	"rialto/store"
)

func backupCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Write the database into one file, while the server runs or not",
		Long: "Write the state of the database at one moment into FILE, which must not exist. FILE has no key: " +
			"keep the secret of the server (secret or secret_file) apart from it. \"rialto restore\" restores it on SQLite or PostgreSQL.",
	}
	return copyCommand(
		cmd,
		"Writing ",
		(*storeFlags).load,
		store.Backup,
		func(cmd *cobra.Command, cfg *config.Config, file string) error {
			return done(
				cmd,
				map[string]string{"file": file, "key": cfg.SecretSource()},
				"The backup is in %s. It does not have the key (%s), without which its keys and secrets cannot be read: keep a copy of the key in another place.",
				file,
				cfg.SecretSource(),
			)
		},
	)
}

func restoreCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Restore a backup into a database that does not exist yet",
		Long: "Restore FILE, which \"rialto backup\" wrote, into the database of the configuration. A SQLite file must not " +
			"exist, and a PostgreSQL database must be empty. The server needs the key that it had when the backup was made.",
	}
	return copyCommand(
		cmd,
		"Reading ",
		(*storeFlags).target,
		func(ctx context.Context, database, file string) error {
			return store.Restore(ctx, file, database)
		},
		func(cmd *cobra.Command, cfg *config.Config, file string) error {
			database := config.Redacted(cfg.Storage.Database)
			return done(
				cmd,
				map[string]string{"file": file, "database": database, "key": cfg.SecretSource()},
				"%s was restored into %s. Before you start the server, make sure that it has the key of the server that was backed up: %s.",
				file,
				database,
				cfg.SecretSource(),
			)
		},
	)
}

// copyCommand copies between the database of a configuration and a file, and reports it.
func copyCommand(
	cmd *cobra.Command,
	doing string,
	load func(*storeFlags, *cobra.Command) (*config.Config, error),
	run func(ctx context.Context, database, file string) error,
	report func(cmd *cobra.Command, cfg *config.Config, file string) error,
) *cobra.Command {
	var flags storeFlags
	flags.add(cmd)
	jsonFlag(cmd)
	cmd.Args = cobra.ExactArgs(1)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, err := load(&flags, cmd)
		if err != nil {
			return err
		}
		if cfg.Storage.Database == store.Memory {
			return config.ErrInMemory
		}
		bar := term.Start(cmd.ErrOrStderr(), doing+args[0])
		err = run(cmd.Context(), cfg.Storage.Database, args[0])
		bar.Stop()
		if err != nil {
			return fmt.Errorf("couldn't finish the %s: %w", cmd.Name(), err)
		}
		return report(cmd, cfg, args[0])
	}
	return cmd
}
