package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"rialto/bridge/operator"
	"rialto/internal/cli/term"
)

func usersCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "user", Short: "Manage the accounts"}
	cmd.AddCommand(
		listCommand("accounts", "List the accounts"), addUserCommand(), setPasswordCommand(), adminCommand(), removeCommand("accounts"), signOutCommand(),
		disableUserCommand("disable", "Disable an account: it cannot sign in, and its tokens stop working", true),
		disableUserCommand("enable", "Enable a disabled account", false),
	)
	return cmd
}

func addUserCommand() *cobra.Command {
	var role bool
	cmd := passwordCommand("add", "Add an account", "added", func(cmd *cobra.Command, s *operator.Service, name, password string) error {
		return s.AddAccount(cmd.Context(), operator.CommandLine, name, password, role)
	})
	cmd.Flags().BoolVar(&role, "admin", false, "make the account an administrator")
	return cmd
}

func setPasswordCommand() *cobra.Command {
	cmd := passwordCommand("password", "Change an account's password and unlock it: its sessions and connections end", "signed out, and has a new password", func(cmd *cobra.Command, s *operator.Service, name, password string) error {
		return s.SetPassword(cmd.Context(), operator.CommandLine, name, password)
	})
	cmd.ValidArgsFunction = completeNames("accounts")
	return cmd
}

func adminCommand() *cobra.Command {
	var revoke bool
	cmd := &cobra.Command{
		Use:               "admin NAME",
		Short:             "Make an account an administrator, or revoke it",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeNames("accounts"),
	}
	cmd.Flags().BoolVar(&revoke, "revoke", false, "revoke the role")
	return withOperator(cmd, func(cmd *cobra.Command, s *operator.Service, args []string) error {
		if err := s.SetAdmin(cmd.Context(), operator.CommandLine, args[0], !revoke); err != nil {
			return entryError(cmd, s, "accounts", args[0], err)
		}
		if revoke {
			return accountDone(cmd, s, args[0], "no longer an administrator")
		}
		return accountDone(cmd, s, args[0], "an administrator")
	})
}

func disableUserCommand(verb, short string, disabled bool) *cobra.Command {
	return withOperator(&cobra.Command{
		Use: verb + " NAME", Short: short, Args: cobra.ExactArgs(1), ValidArgsFunction: completeNames("accounts"),
	}, func(cmd *cobra.Command, s *operator.Service, args []string) error {
		err := s.SetDisabled(cmd.Context(), operator.CommandLine, args[0], disabled)
		if err != nil {
			return entryError(cmd, s, "accounts", args[0], err)
		}
		return accountDone(cmd, s, args[0], verb+"d")
	})
}

// accountDone says what an account is now.
func accountDone(cmd *cobra.Command, s *operator.Service, name, is string) error {
	a, err := s.Account(cmd.Context(), name)
	if err != nil {
		return err
	}
	return done(cmd, a, "%s is %s.", name, is)
}

func passwordCommand(name, short, is string, set func(*cobra.Command, *operator.Service, string, string) error) *cobra.Command {
	var stdin bool
	var password string
	cmd := &cobra.Command{
		Use:   name + " NAME",
		Short: short,
		Args:  cobra.ExactArgs(1),
		PreRunE: func(cmd *cobra.Command, _ []string) (err error) {
			if stdin {
				password, err = readPassword(cmd.InOrStdin())
				return err
			}
			password, err = term.NewDialog(cmd.InOrStdin(), cmd.ErrOrStderr()).Secret("Password")
			if errors.Is(err, term.ErrNoAnswer) {
				err = usageError{errors.New("give the password on standard input, with --password-stdin: other users can read the command line")}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&stdin, "password-stdin", false, "read the password from standard input, up to the end of the first line, instead of asking for it")
	return withOperator(cmd, func(cmd *cobra.Command, s *operator.Service, args []string) error {
		if err := set(cmd, s, args[0], password); errors.Is(err, operator.ErrNotFound) {
			return fmt.Errorf("%w (\"rialto user add\" adds an account)", entryError(cmd, s, "accounts", args[0], err))
		} else if err != nil {
			return entryError(cmd, s, "accounts", args[0], err)
		}
		return accountDone(cmd, s, args[0], is)
	})
}

func readPassword(r io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(r, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	password := strings.TrimRight(line, "\r\n")
	if password == "" {
		return "", errors.New("standard input has no password")
	}
	return password, nil
}

func signOutCommand() *cobra.Command {
	return withOperator(destructive(&cobra.Command{
		Use:               "sign-out NAME",
		Short:             "End the browser sessions and the grants of an account",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeNames("accounts"),
	}), func(cmd *cobra.Command, s *operator.Service, args []string) error {
		if err := confirm(cmd, "End the sessions and grants of %s? Each app has to be connected again.", args[0]); err != nil {
			return err
		}
		n, err := s.SignOut(cmd.Context(), operator.CommandLine, args[0])
		if err != nil {
			return entryError(cmd, s, "accounts", args[0], err)
		}
		return done(cmd, revoked{n}, "%s is signed out: %s.", args[0], revoked{n})
	})
}
