package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"rialto/oauth"

	"github.com/spf13/cobra"
)

// onStore gives a command the flags that find a server's store, and runs do
// with the authorization server of that store, beside a server that may be
// running.
func onStore(cmd *cobra.Command, do func(*cobra.Command, *oauth.Server, []string) error) *cobra.Command {
	var from storeFlags
	from.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		cfg, db, err := from.open(cmd)
		if err != nil {
			return err
		}
		defer db.Close()
		secret, err := loadSecret(cfg)
		if err != nil {
			return err
		}
		return do(cmd, newOAuth(cfg, slog.New(slog.DiscardHandler), db, secret), args)
	}
	return cmd
}

func userCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "user", Short: "Manage the local accounts"}
	cmd.AddCommand(
		addUserCommand(),
		passwordCommand("passwd", "Change an account's password", (*oauth.Server).SetPassword),
		adminCommand(),
		removeUserCommand(),
		listUsersCommand(),
	)
	return cmd
}

func addUserCommand() *cobra.Command {
	var admin bool
	cmd := passwordCommand("add", "Add an account", func(as *oauth.Server, ctx context.Context, name, password string) error {
		if err := as.AddUser(ctx, name, password); err != nil || !admin {
			return err
		}
		return as.SetAdmin(ctx, name, true)
	})
	cmd.Flags().BoolVar(&admin, "admin", false, "let the account run the server")
	return cmd
}

func adminCommand() *cobra.Command {
	var revoke bool
	cmd := &cobra.Command{
		Use:   "admin NAME",
		Short: "Let an account run the server, or stop it",
		Args:  cobra.ExactArgs(1),
	}
	cmd.Flags().BoolVar(&revoke, "revoke", false, "take the role away")
	return onStore(cmd, func(cmd *cobra.Command, as *oauth.Server, args []string) error {
		return as.SetAdmin(cmd.Context(), args[0], !revoke)
	})
}

func passwordCommand(name, short string, set func(*oauth.Server, context.Context, string, string) error) *cobra.Command {
	var stdin bool
	var password string
	cmd := &cobra.Command{
		Use:   name + " NAME --password-stdin",
		Short: short,
		Args:  cobra.ExactArgs(1),
		PreRunE: func(cmd *cobra.Command, _ []string) (err error) {
			if !stdin {
				return errors.New("give the password on standard input, with --password-stdin: on the command line it would be seen by others")
			}
			password, err = readPassword(cmd.InOrStdin())
			return err
		},
	}
	cmd.Flags().BoolVar(&stdin, "password-stdin", false, "read the password from standard input, up to the first line's end")
	return onStore(cmd, func(cmd *cobra.Command, as *oauth.Server, args []string) error {
		return set(as, cmd.Context(), args[0], password)
	})
}

func readPassword(r io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(r, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	password := strings.TrimRight(line, "\r\n")
	if password == "" {
		return "", errors.New("standard input held no password")
	}
	return password, nil
}

func removeUserCommand() *cobra.Command {
	return onStore(&cobra.Command{
		Use:   "rm NAME",
		Short: "Remove an account and revoke what it granted",
		Args:  cobra.ExactArgs(1),
	}, func(cmd *cobra.Command, as *oauth.Server, args []string) error {
		return as.RemoveUser(cmd.Context(), args[0])
	})
}

func listUsersCommand() *cobra.Command {
	return onStore(&cobra.Command{
		Use:   "list",
		Short: "List the accounts",
		Args:  cobra.NoArgs,
	}, func(cmd *cobra.Command, as *oauth.Server, _ []string) error {
		users, err := as.Users(cmd.Context())
		for _, name := range users {
			fmt.Fprintln(cmd.OutOrStdout(), name)
		}
		return err
	})
}
