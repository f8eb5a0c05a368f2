package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"rialto/bridge/operator"

	"github.com/spf13/cobra"
)

// completionTime bounds how long a shell waits for names from a database.
const completionTime = 2 * time.Second

// complete lets a shell complete a flag with words.
func complete(cmd *cobra.Command, flag string, words ...string) {
	must(cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)))
}

// must is for what only a mistake in this package can make fail.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// nameLister returns names to choose from.
type nameLister func(*cobra.Command, *operator.Service) []string

// completeFrom lets a shell complete a flag with names from the database.
func completeFrom(cmd *cobra.Command, flag string, names nameLister) {
	must(cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		return namesFrom(cmd, begun, names), cobra.ShellCompDirectiveNoFileComp
	}))
}

// completeNames lets a shell complete the one argument of a command with names
// from the database.
func completeNames(names nameLister) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return namesFrom(cmd, begun, names), cobra.ShellCompDirectiveNoFileComp
	}
}

// namesFrom returns the names that begin as what was typed. What goes wrong is no
// answer: the shell has no place for it.
func namesFrom(cmd *cobra.Command, begun string, names nameLister) (found []string) {
	text := func(flag string) string {
		if f := cmd.Flags().Lookup(flag); f != nil {
			return f.Value.String()
		}
		return ""
	}
	from := storeFlags{data: text("data"), config: text("config"), database: text("database")}
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	cmd.SetContext(ctx)
	_ = from.operate(cmd, func(s *operator.Service) error {
		found = slices.DeleteFunc(names(cmd, s), func(name string) bool { return !strings.HasPrefix(name, begun) })
		return nil
	})
	return found
}
