package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func command() *cobra.Command {
	root := &cobra.Command{
		Use:           "rialto",
		Short:         "Let chat apps log in and reach A2A agents",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
	}
	root.AddCommand(
		demoCommand(), serveCommand(), configCommand(), tokenCommand(),
		userCommand(), tableExpertCommand(), healthCommand(), doctorCommand(),
		keysCommand(), agentsCommand(), pushCommand(),
		usersCommand(), clientsCommand(), grantsCommand(), tasksCommand(), usageCommand(), auditCommand(),
	)
	for _, group := range root.Commands() {
		if group.HasSubCommands() && !group.Runnable() {
			group.RunE = needsCommand
		}
	}
	return root
}

// needsCommand is run for a group of commands without one that there is: cobra
// would write the help and call that a success.
func needsCommand(group *cobra.Command, args []string) error {
	if len(args) == 0 {
		return group.Help()
	}
	var names []string
	for _, c := range group.Commands() {
		names = append(names, c.Name())
	}
	hint := ""
	if near := nearest(args[0], names); similar(args[0], near) {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Errorf("there is no command %q in %q%s (they are %s)", args[0], group.CommandPath(), hint, strings.Join(names, ", "))
}
