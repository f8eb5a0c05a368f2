package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"rialto/bridge/operator"
	"rialto/cmd/rialto/internal/term"
)

func usersCommand() *cobra.Command {
	cmd := command("user", "Manage the accounts")
	cmd.AddCommand(
		listCommand("accounts", "List the accounts"),
		addUserCommand(),
		inviteUserCommand(),
		setPasswordCommand(),
		signInLinkCommand(),
		adminCommand(),
		removeCommand("accounts"),
		signOutCommand(),
		disableUserCommand(
			"disable", "Disable an account: it cannot sign in, and its tokens stop working", true,
		),
		disableUserCommand("enable", "Enable a disabled account", false),
	)
	return cmd
}

func addUserCommand() *cobra.Command {
	var role bool
	cmd := passwordCommand("add", "Add an account", "added", func(r *request, name, password string) error {
		if password == "" {
			return errors.New("the password is empty")
		}
		_, err := r.AddAccount(r.ctx, operator.CommandLine, name, password, role)
		return err
	})
	boolFlag(cmd, &role, "admin", "make the account an administrator")
	return cmd
}

func inviteUserCommand() *cobra.Command {
	var role bool
	cmd := onEntry(
		"accounts",
		"invite NAME",
		"Add an account, and print a link with which its person chooses a password",
	)
	boolFlag(cmd, &role, "admin", "make the account an administrator")
	return withOperator(cmd, func(r *request) error {
		return r.printLink(r.AddAccount(r.ctx, operator.CommandLine, r.name, "", role))
	})
}

func setPasswordCommand() *cobra.Command {
	cmd := passwordCommand(
		"password",
		"Change an account's password and unlock it: its sessions and connections end",
		"signed out, and has a new password",
		func(r *request, name, password string) error {
			return r.SetPassword(r.ctx, operator.CommandLine, name, password)
		},
	)
	cmd.ValidArgsFunction = completeNames("accounts")
	return cmd
}

func signInLinkCommand() *cobra.Command {
	cmd := onEntry("accounts", "link NAME", "Print a link that signs an account in, once within an hour")
	return withOperator(cmd, func(r *request) error {
		return r.printLink(r.SignInLink(r.ctx, operator.CommandLine, r.name))
	})
}

func (r *request) printLink(link string, err error) error {
	if err != nil {
		return r.entryError("accounts", r.name, err)
	}
	return r.done(map[string]string{"link": link}, "%s", link)
}

func adminCommand() *cobra.Command {
	var revoke bool
	cmd := onEntry("accounts", "admin NAME", "Make an account an administrator, or revoke it")
	boolFlag(cmd, &revoke, "revoke", "revoke the role")
	return withOperator(cmd, func(r *request) error {
		is := "an administrator"
		if revoke {
			is = "no longer an administrator"
		}
		return r.accountDone(r.SetAdmin(r.ctx, operator.CommandLine, r.name, !revoke), is)
	})
}

func disableUserCommand(verb, short string, disabled bool) *cobra.Command {
	return withOperator(onEntry("accounts", verb+" NAME", short), func(r *request) error {
		return r.accountDone(r.SetDisabled(r.ctx, operator.CommandLine, r.name, disabled), verb+"d")
	})
}

// accountDone says what the account is now, unless the change failed.
func (r *request) accountDone(failed error, is string) error {
	if failed != nil {
		return r.entryError("accounts", r.name, failed)
	}
	a, err := r.Account(r.ctx, r.name)
	if err != nil {
		return err
	}
	return r.done(a, "%s is %s.", r.name, is)
}

func passwordCommand(
	name, short, is string,
	set func(r *request, name, password string) error,
) *cobra.Command {
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
				err = usagef(
					"give the password on standard input, with --password-stdin: other users can read the command line",
				)
			}
			return err
		},
	}
	boolFlag(
		cmd,
		&stdin,
		"password-stdin",
		"read the password from standard input, up to the end of the first line, instead of asking for it",
	)
	return withOperator(cmd, func(r *request) error {
		err := set(r, r.name, password)
		if errors.Is(err, operator.ErrNotFound) {
			return fmt.Errorf(
				"%w (\"rialto user add\" adds an account)", r.entryError("accounts", r.name, err),
			)
		}
		return r.accountDone(err, is)
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
	return withOperator(
		destructive(
			onEntry(
				"accounts",
				"sign-out NAME",
				"End the browser sessions and the grants of an account",
			),
		),
		func(r *request) error {
			if err := r.confirm(
				"End the sessions and grants of %s? Each app has to be connected again.", r.name,
			); err != nil {
				return err
			}
			n, err := r.SignOut(r.ctx, operator.CommandLine, r.name)
			if err != nil {
				return r.entryError("accounts", r.name, err)
			}
			return r.done(revoked{n}, "%s is signed out: %s.", r.name, revoked{n})
		},
	)
}
