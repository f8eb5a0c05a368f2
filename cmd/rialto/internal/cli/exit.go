package cli

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

// exitError is an error with an exit code.
type exitError struct {
	code int
	error
}

func (e exitError) Unwrap() error { return e.error }

// usageError is an error of the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// ExitCode returns the exit code for the error of a command: 1 for most, 2 for wrong usage.
func ExitCode(err error) int {
	var coded exitError
	switch {
	case errors.As(err, &coded):
		return coded.code
	case errors.As(err, new(usageError)):
		return 2
	}
	return 1
}

// checkUsage makes a command return a usageError for wrong arguments and flags.
func checkUsage(cmd *cobra.Command) {
	args := cmd.Args
	if args == nil {
		args = cobra.NoArgs
		if cmd.HasSubCommands() {
			args = cobra.ArbitraryArgs // needsCommand checks them
		}
	}

	cmd.Args = func(cmd *cobra.Command, words []string) error {
		err := cmp.Or(args(cmd, words), cmd.ValidateRequiredFlags(), cmd.ValidateFlagGroups())
		if err != nil {
			return usageError{err}
		}
		return nil
	}
	for _, c := range cmd.Commands() {
		checkUsage(c)
	}
}
