package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"rialto/cmd/rialto/internal/config"
	"rialto/cmd/rialto/internal/server"
	"rialto/cmd/rialto/internal/term"
)

func reloadConfigCommand() *cobra.Command {
	return withConfig(&cobra.Command{
		Use:   "reload",
		Short: "Make the running server read its configuration again",
		Long: "Reload checks the configuration, makes the server at its \"listen\" address read its own configuration again, and prints " +
			"the settings that changed. Run it on the machine of the server, or in its container, with the flags and variables of \"rialto serve\". " +
			"If a setting is wrong or needs a restart, nothing changes, and the exit code is 1.",
	}, func(cmd *cobra.Command, cfg *config.Config) error {
		changes, err := server.AskReload(cmd.Context(), cfg)
		if err != nil {
			return err
		}
		if wantsJSON(cmd) {
			return writeJSON(cmd.OutOrStdout(), changes)
		}
		if len(changes) == 0 {
			fmt.Fprintln(cmd.OutOrStdout(), "No setting has changed.")
			return nil
		}
		t := &term.Table{Head: []string{"SETTING", "BEFORE", "NOW"}}
		for _, c := range changes {
			t.Add(c.Key, c.Was, c.Is)
		}
		return t.Write(cmd.OutOrStdout())
	})
}
