package cli

import (
	"fmt"
	"time"

	"rialto/bridge/operator"

	"github.com/spf13/cobra"
)

func keysCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "keys", Short: "Manage the keys that sign access tokens"}
	cmd.AddCommand(rotateKeysCommand(), listKeysCommand())
	return cmd
}

func rotateKeysCommand() *cobra.Command {
	return withOperator(&cobra.Command{
		Use:   "rotate",
		Short: "Replace the signing key; existing tokens stay valid",
		Args:  cobra.NoArgs,
	}, func(cmd *cobra.Command, s *operator.Service, _ []string) error {
		key, err := s.RotateKeys(cmd.Context(), operator.CommandLine)
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "The key %s signs from %s on.\n", key.ID, key.Active.Format(time.RFC3339))
		return nil
	})
}

func listKeysCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "list", Short: "List the signing keys, oldest first", Args: cobra.NoArgs}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return withOperator(cmd, func(cmd *cobra.Command, s *operator.Service, _ []string) error {
		keys, err := s.Keys(cmd.Context())
		if err != nil {
			return err
		}
		if asJSON {
			return writeJSON(cmd.OutOrStdout(), keys)
		}
		t := &table{head: []string{"ID", "ALGORITHM", "SIGNS", "SIGNS FROM", "IS REPLACED", "KEPT UNTIL"}}
		for _, k := range keys {
			t.add(k.ID, k.Algorithm, yesNo(k.Signs), formatTime(k.Active), formatTime(k.Rotates), formatTime(k.Expires))
		}
		return t.write(cmd.OutOrStdout())
	})
}
