package cli

import (
	"time"

	"github.com/spf13/cobra"

	"rialto/bridge/operator"
	"rialto/internal/cli/term"
)

func keysCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "keys", Short: "Manage the keys that sign access tokens"}
	cmd.AddCommand(rotateKeysCommand(), revokeKeyCommand(), listKeysCommand())
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
		return done(cmd, key, "The key %s signs from %s on.", key.ID, key.Active.Format(time.RFC3339))
	})
}

func revokeKeyCommand() *cobra.Command {
	return withOperator(destructive(&cobra.Command{
		Use:               "revoke KID",
		Short:             "End a signing key at once: the tokens that it signed are refused",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeNames(keyIDs),
	}), func(cmd *cobra.Command, s *operator.Service, args []string) error {
		if err := confirm(cmd, "End the key %s? The access tokens that it signed are refused from then on.", args[0]); err != nil {
			return err
		}
		if err := s.RevokeKey(cmd.Context(), operator.CommandLine, args[0]); err != nil {
			return notFoundError("key", args[0], err, func() []string { return keyIDs(cmd, s) })
		}
		return done(cmd, struct{}{}, "The key %s has ended. Apps get a new token with their next refresh.", args[0])
	})
}

// keyIDs returns the IDs of the signing keys, for completion.
func keyIDs(cmd *cobra.Command, s *operator.Service) (ids []string) {
	all, err := s.Keys(cmd.Context())
	if err != nil {
		return nil
	}
	for _, k := range all {
		ids = append(ids, k.ID)
	}
	return ids
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
		t := &term.Table{Head: []string{"ID", "ALGORITHM", "SIGNS", "SIGNS FROM", "IS REPLACED", "KEPT UNTIL"}}
		for _, k := range keys {
			t.Add(k.ID, k.Algorithm, yesNo(k.Signs), formatTime(k.Active), formatTime(k.Rotates), formatTime(k.Expires))
		}
		return t.Write(cmd.OutOrStdout())
	})
}
