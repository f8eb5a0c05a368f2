package cli

import (
	"github.com/spf13/cobra"

	"rialto/cmd/rialto/internal/server"
	"rialto/cmd/rialto/internal/term"
)

// versionCommand prints which build this is.
func versionCommand() *cobra.Command {
	cmd := command("version", "Show the version, commit and date of this program")
	jsonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		b := server.ThisBuild()
		if wantsJSON(cmd) {
			return writeJSON(cmd.OutOrStdout(), b)
		}
		commit := b.Commit
		if b.Modified {
			commit += " (modified)"
		}
		return term.Details(cmd.OutOrStdout(), [][2]string{
			{
				"version",
				b.Version,
			},
			{"commit", commit},
			{"date", b.Date},
			{"go", b.Go},
			{"platform", b.Platform},
		})
	}
	return cmd
}
