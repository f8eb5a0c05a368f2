package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

func keysCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "keys", Short: "Manage the keys that sign access tokens"}
	cmd.AddCommand(rotateKeysCommand(), listKeysCommand())
	return cmd
}

func rotateKeysCommand() *cobra.Command {
	var from storeFlags
	cmd := &cobra.Command{
		Use:   "rotate",
		Short: "Replace the signing key; tokens that exist stay valid",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			as, done, err := openOAuth(cmd, &from)
			if err != nil {
				return err
			}
			defer done()
			key, err := as.RotateKeys(cmd.Context())
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "The key %s signs from %s on.\n", key.ID, key.Active.Format(time.RFC3339))
			return nil
		},
	}
	from.add(cmd)
	return cmd
}

func listKeysCommand() *cobra.Command {
	var from storeFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the signing keys",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			as, done, err := openOAuth(cmd, &from)
			if err != nil {
				return err
			}
			defer done()
			keys, err := as.SigningKeys(cmd.Context())
			for _, key := range keys {
				fmt.Fprintf(cmd.OutOrStdout(), "%s  signs from %s, is kept until %s\n", key.ID, key.Active.Format(time.RFC3339), key.Expires.Format(time.RFC3339))
			}
			return err
		},
	}
	from.add(cmd)
	return cmd
}
