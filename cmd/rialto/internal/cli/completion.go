package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// completionTime limits how long a shell waits for names from a database.
const completionTime = 2 * time.Second

func complete(cmd *cobra.Command, flag string, words ...string) {
	must(
		cmd.RegisterFlagCompletionFunc(
			flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp),
		),
	)
}

// must panics on errors that only a mistake in this package causes.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// completeFrom completes a flag with the names of the entries of a resource.
func completeFrom(cmd *cobra.Command, flag, resource string) {
	must(
		cmd.RegisterFlagCompletionFunc(
			flag,
			func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
				return namesFrom(cmd, begun, resource), cobra.ShellCompDirectiveNoFileComp
			},
		),
	)
}

// completeNames completes the only argument of a command with the names of the entries of a resource.
func completeNames(resource string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return namesFrom(cmd, begun, resource), cobra.ShellCompDirectiveNoFileComp
	}
}

// namesFrom returns the names that start with begun. It ignores errors, because a shell
// cannot show them.
func namesFrom(cmd *cobra.Command, begun, resource string) (found []string) {
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
	_ = from.operate(cmd, nil, func(r *request) error {
		found = slices.DeleteFunc(
			r.names(resource), func(name string) bool { return !strings.HasPrefix(name, begun) },
		)
		return nil
	})
	return found
}
