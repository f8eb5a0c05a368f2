package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"rialto/internal/cli/term"
	"rialto/internal/config"
	"rialto/internal/store"
)

func backupCommand() *cobra.Command {
	var from storeFlags
	cmd := &cobra.Command{
		Use:   "backup FILE",
		Short: "Write the database into one file, while the server runs or not",
		Long: "Write the state of the database at one moment into FILE, which must not exist. FILE has no key: " +
			"keep the secret of the server (secret or secret_file) apart from it. \"rialto restore\" restores it on SQLite or PostgreSQL.",
		Args: cobra.ExactArgs(1),
	}
	from.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, err := from.load(cmd)
		if err != nil {
			return err
		}
		if kind, _ := config.EngineOf(cfg.Database); kind == config.Memory {
			return config.ErrInMemory
		}
		bar := term.Start(cmd.ErrOrStderr(), "Writing "+args[0])
		defer bar.Stop()
		if err := store.Backup(cmd.Context(), cfg.Database, args[0]); err != nil {
			return fmt.Errorf("backup: %w", err)
		}
		bar.Stop()
		return done(cmd, map[string]string{"file": args[0], "key": cfg.SecretPlace()},
			"The backup is in %s. It does not have the key (%s), without which its keys and secrets cannot be read: keep a copy of the key in another place.", args[0], cfg.SecretPlace())
	}
	cmd.Flags().Bool("json", false, "write JSON")
	return cmd
}

func restoreCommand() *cobra.Command {
	var to storeFlags
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Restore a backup into a database that does not exist yet",
		Long: "Restore FILE, which \"rialto backup\" wrote, into the database of the configuration. A SQLite file must not " +
			"exist, and a PostgreSQL database must be empty. The server needs the key that it had when the backup was made.",
		Args: cobra.ExactArgs(1),
	}
	to.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, err := to.target(cmd)
		if err != nil {
			return err
		}
		if kind, _ := config.EngineOf(cfg.Database); kind == config.Memory {
			return config.ErrInMemory
		}
		bar := term.Start(cmd.ErrOrStderr(), "Reading "+args[0])
		defer bar.Stop()
		if err := store.Restore(cmd.Context(), args[0], cfg.Database); err != nil {
			return fmt.Errorf("restore: %w", err)
		}
		bar.Stop()
		database := config.Redacted(cfg.Database)
		return done(cmd, map[string]string{"file": args[0], "database": database, "key": cfg.SecretPlace()},
			"%s was restored into %s. Before you start the server, make sure that it has the key of the server that was backed up: %s.", args[0], database, cfg.SecretPlace())
	}
	cmd.Flags().Bool("json", false, "write JSON")
	return cmd
}
