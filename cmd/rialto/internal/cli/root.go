package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rialto/cmd/rialto/internal/server"
	"rialto/internal/similar"
)

// Command returns the root command. It calls delay, if a server waits before it stops, with how
// long.
func Command(delay func(time.Duration)) *cobra.Command {
	root := &cobra.Command{
		Use:           "rialto",
		Short:         "Let chat apps log in and reach A2A agents",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       server.Version(),
	}
	root.AddCommand(
		demoCommand(),
		callCommand(),
		stdioCommand(),
		serveCommand(delay),
		configCommand(),
		tokenCommand(),
		versionCommand(),
		tableExpertCommand(),
		healthCommand(),
		doctorCommand(),
		migrateCommand(),
		backupCommand(),
		restoreCommand(),
		keysCommand(),
		agentsCommand(),
		connectorsCommand(),
		pushCommand(),
		usersCommand(),
		clientsCommand(),
		grantsCommand(),
		tasksCommand(),
		usageCommand(),
		auditCommand(),
	)
	for _, group := range append(root.Commands(), root) {
		if group.HasSubCommands() && !group.Runnable() {
			group.RunE = needsCommand
		}
	}

	addExamples(root)
	checkUsage(root)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		unknown, ok := errors.AsType[*pflag.NotExistError](err)
		if ok && unknown.GetSpecifiedShortnames() != "" {
			err = fmt.Errorf("%w (put -- before an ID that begins with a dash)", err)
		}
		return usageError{err}
	})
	return root
}

// needsCommand returns an error for an unknown subcommand. Cobra would print the help and succeed.
func needsCommand(group *cobra.Command, args []string) error {
	if len(args) == 0 {
		return group.Help()
	}

	var names []string
	now := args[0]
	for _, c := range group.Commands() {
		names = append(names, c.Name())
		if slices.Contains(c.SuggestFor, now) {
			now = c.Name()
		}
	}

	return usagef(
		"there is no command %q in %q%s (the commands are %s)",
		args[0],
		group.CommandPath(),
		didYouMean(now, names),
		strings.Join(names, ", "),
	)
}

// didYouMean names the known word that may be meant; "" if none is similar.
func didYouMean(word string, known []string) string {
	near, apart := similar.Nearest(word, known)
	if near == "" || apart > max(2, len(word)/3) {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", near)
}
