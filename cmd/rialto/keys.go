package main

import (
	"fmt"
	"time"

	"rialto/oauth"

	"github.com/spf13/cobra"
)

func keysCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "keys", Short: "Manage the keys that sign access tokens"}
	cmd.AddCommand(rotateKeysCommand(), listKeysCommand())
	return cmd
}

func rotateKeysCommand() *cobra.Command {
	return onStore(&cobra.Command{
		Use:   "rotate",
		Short: "Replace the signing key; tokens that exist stay valid",
		Args:  cobra.NoArgs,
	}, func(cmd *cobra.Command, as *oauth.Server, _ []string) error {
		key, err := as.RotateKeys(cmd.Context())
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.OutOrStdout(), "The key %s signs from %s on.\n", key.ID, key.Active.Format(time.RFC3339))
		return nil
	})
}

func listKeysCommand() *cobra.Command {
	return onStore(&cobra.Command{
		Use:   "list",
		Short: "List the signing keys",
		Args:  cobra.NoArgs,
	}, func(cmd *cobra.Command, as *oauth.Server, _ []string) error {
		keys, err := as.SigningKeys(cmd.Context())
		for _, key := range keys {
			fmt.Fprintf(cmd.OutOrStdout(), "%s  %s  signs from %s, is kept until %s\n", key.ID, key.Algorithm, key.Active.Format(time.RFC3339), key.Expires.Format(time.RFC3339))
		}
		return err
	})
}
