package cli

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"rialto/bridge/operator"
)

func usersCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "users", Aliases: []string{"user"}, Short: "Manage the accounts"}
	cmd.AddCommand(append(accountCommands(), listUsersCommand())...)
	return cmd
}

func accountCommands() []*cobra.Command {
	return []*cobra.Command{
		addUserCommand(), setPasswordCommand(), adminCommand(), removeUserCommand(),
		disableUserCommand("disable", "Disable an account: it cannot sign in, and its tokens stop working", true),
		disableUserCommand("enable", "Enable a disabled account", false),
	}
}

func addUserCommand() *cobra.Command {
	var role bool
	cmd := passwordCommand("add", "Add an account", func(cmd *cobra.Command, s *operator.Service, name, password string) error {
		return s.AddAccount(cmd.Context(), operator.CommandLine, name, password, role)
	})
	cmd.Flags().BoolVar(&role, "admin", false, "make the account an administrator")
	return cmd
}

// setPasswordCommand also adds the account if it does not exist.
func setPasswordCommand() *cobra.Command {
	return passwordCommand("passwd", "Change an account's password", func(cmd *cobra.Command, s *operator.Service, name, password string) error {
		_, err := s.Account(cmd.Context(), name)
		if errors.Is(err, operator.ErrNotFound) {
			return s.AddAccount(cmd.Context(), operator.CommandLine, name, password, false)
		}
		return s.SetPassword(cmd.Context(), operator.CommandLine, name, password)
	})
}

func adminCommand() *cobra.Command {
	var revoke bool
	cmd := &cobra.Command{
		Use:               "admin NAME",
		Short:             "Make an account an administrator, or revoke it",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeNames(userNames),
	}
	cmd.Flags().BoolVar(&revoke, "revoke", false, "revoke the role")
	return withOperator(cmd, func(cmd *cobra.Command, s *operator.Service, args []string) error {
		return accountError(cmd, s, args[0], s.SetAdmin(cmd.Context(), operator.CommandLine, args[0], !revoke))
	})
}

func disableUserCommand(verb, short string, disabled bool) *cobra.Command {
	return withOperator(&cobra.Command{
		Use: verb + " NAME", Short: short, Args: cobra.ExactArgs(1), ValidArgsFunction: completeNames(userNames),
	}, func(cmd *cobra.Command, s *operator.Service, args []string) error {
		err := s.SetDisabled(cmd.Context(), operator.CommandLine, args[0], disabled)
		if err != nil {
			return accountError(cmd, s, args[0], err)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%s is %sd.\n", args[0], verb)
		return nil
	})
}

func accountError(cmd *cobra.Command, s *operator.Service, name string, err error) error {
	return notFoundError("account", name, err, func() []string { return userNames(cmd, s) })
}

func passwordCommand(name, short string, set func(*cobra.Command, *operator.Service, string, string) error) *cobra.Command {
	var stdin bool
	var password string
	cmd := &cobra.Command{
		Use:   name + " NAME --password-stdin",
		Short: short,
		Args:  cobra.ExactArgs(1),
		PreRunE: func(cmd *cobra.Command, _ []string) (err error) {
			if !stdin {
				return errors.New("give the password on standard input, with --password-stdin: other users can read the command line")
			}
			password, err = readPassword(cmd.InOrStdin())
			return err
		},
	}
	cmd.Flags().BoolVar(&stdin, "password-stdin", false, "read the password from standard input, up to the end of the first line")
	return withOperator(cmd, func(cmd *cobra.Command, s *operator.Service, args []string) error {
		return accountError(cmd, s, args[0], set(cmd, s, args[0], password))
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

func removeUserCommand() *cobra.Command {
	return withOperator(&cobra.Command{
		Use:               "rm NAME",
		Aliases:           []string{"remove"},
		Short:             "Remove an account and revoke its grants",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeNames(userNames),
	}, func(cmd *cobra.Command, s *operator.Service, args []string) error {
		return accountError(cmd, s, args[0], s.RemoveAccount(cmd.Context(), operator.CommandLine, args[0]))
	})
}

func listUsersCommand() *cobra.Command {
	var f listFlags
	var filter operator.AccountFilter
	cmd := &cobra.Command{Use: "list", Short: "List the accounts", Args: cobra.NoArgs}
	f.add(cmd)
	cmd.Flags().StringVar(&filter.Text, "text", "", "only accounts whose name contains this")
	cmd.Flags().BoolVar(&filter.Admin, "admin", false, "only administrators")
	cmd.Flags().BoolVar(&filter.Disabled, "disabled", false, "only disabled accounts")
	return withOperator(cmd, func(cmd *cobra.Command, s *operator.Service, _ []string) error {
		return list(cmd, f, func(span operator.Span) (*operator.Page[operator.Account], error) {
			filter.Span = span
			return s.Accounts(cmd.Context(), filter)
		}, []string{"NAME", "SIGNS IN AT", "ADMIN", "DISABLED", "GRANTS", "CREATED", "ID"}, func(a operator.Account) []string {
			return []string{a.Name, cmp.Or(a.Issuer, "here"), yesNo(a.Admin), yesNo(a.Disabled), formatCount(a.Grants), formatTime(a.Created), a.ID}
		})
	})
}
