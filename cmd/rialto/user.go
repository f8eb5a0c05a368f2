package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"rialto/internal/store"
	"rialto/oauth"

	"github.com/spf13/cobra"
)

// openOAuth opens the authorization server of a store, to work on it beside a
// server that may be running. Call done at the end.
func openOAuth(cmd *cobra.Command, from *storeFlags) (as *oauth.Server, done func() error, err error) {
	cfg, err := from.load(cmd)
	if err != nil {
		return nil, nil, err
	}
	secret, err := loadSecret(cfg)
	if err != nil {
		return nil, nil, err
	}
	db, err := store.Open(cmd.Context(), cfg.Database)
	if err != nil {
		return nil, nil, fmt.Errorf("database: %w", err)
	}
	log := slog.New(slog.DiscardHandler)
	return newOAuth(cfg, log, db, secret), db.Close, nil
}

func userCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "user", Short: "Manage the local accounts"}
	cmd.AddCommand(
		passwordCommand("add", "Add an account", (*oauth.Server).AddUser),
		passwordCommand("passwd", "Change an account's password", (*oauth.Server).SetPassword),
		removeUserCommand(),
		listUsersCommand(),
	)
	return cmd
}

func passwordCommand(name, short string, set func(*oauth.Server, context.Context, string, string) error) *cobra.Command {
	var from storeFlags
	var stdin bool
	cmd := &cobra.Command{
		Use:   name + " NAME --password-stdin",
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !stdin {
				return errors.New("give the password on standard input, with --password-stdin: on the command line it would be seen by others")
			}
			password, err := readPassword(cmd.InOrStdin())
			if err != nil {
				return err
			}
			as, done, err := openOAuth(cmd, &from)
			if err != nil {
				return err
			}
			defer done()
			return set(as, cmd.Context(), args[0], password)
		},
	}
	from.add(cmd)
	cmd.Flags().BoolVar(&stdin, "password-stdin", false, "read the password from standard input, up to the first line's end")
	return cmd
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
	var from storeFlags
	cmd := &cobra.Command{
		Use:   "rm NAME",
		Short: "Remove an account and revoke what it granted",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			as, done, err := openOAuth(cmd, &from)
			if err != nil {
				return err
			}
			defer done()
			return as.RemoveUser(cmd.Context(), args[0])
		},
	}
	from.add(cmd)
	return cmd
}

func listUsersCommand() *cobra.Command {
	var from storeFlags
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the accounts",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			as, done, err := openOAuth(cmd, &from)
			if err != nil {
				return err
			}
			defer done()
			users, err := as.Users(cmd.Context())
			for _, name := range users {
				fmt.Fprintln(cmd.OutOrStdout(), name)
			}
			return err
		},
	}
	from.add(cmd)
	return cmd
}
