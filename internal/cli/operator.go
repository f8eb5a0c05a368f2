package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"rialto/bridge/operator"
	"rialto/internal/cli/term"
	"rialto/internal/server"
)

// withOperator gives a command the flags that find a store, and runs do with the use
// cases of operators on it. A server may be running. The audit log records the changes.
func withOperator(cmd *cobra.Command, do func(*cobra.Command, *operator.Service, []string) error) *cobra.Command {
	var from storeFlags
	from.add(cmd)
	if cmd.Flags().Lookup("json") == nil && cmd.Flags().Lookup("format") == nil {
		cmd.Flags().Bool("json", false, "write JSON")
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return from.operate(cmd, func(s *operator.Service) error { return do(cmd, s, args) })
	}
	return cmd
}

// wantsJSON reports whether the flag --json is set.
func wantsJSON(cmd *cobra.Command) bool {
	is, _ := cmd.Flags().GetBool("json")
	return is
}

// done says what a command did: a sentence or, with --json, what the REST API answers.
func done(cmd *cobra.Command, v any, sentence string, args ...any) error {
	if wantsJSON(cmd) {
		return writeJSON(cmd.OutOrStdout(), v)
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), sentence+"\n", args...)
	return err
}

// destructive adds --yes to a command that asks before it destroys something.
func destructive(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().Bool("yes", false, "do it without asking")
	return cmd
}

// confirm asks whether to go on. Without a terminal, the command needs --yes.
func confirm(cmd *cobra.Command, question string, args ...any) error {
	if yes, _ := cmd.Flags().GetBool("yes"); yes {
		return nil
	}
	d := term.NewDialog(cmd.InOrStdin(), cmd.ErrOrStderr())
	if !d.Terminal() {
		return usageError{errors.New("this cannot be undone: confirm it with --yes")}
	}
	answer, err := d.Ask(cmd.Context(), fmt.Sprintf(question, args...)+" [y/N] ")
	if err != nil || !strings.HasPrefix(strings.ToLower(answer), "y") {
		return errors.New("nothing was changed")
	}
	return nil
}

// operate runs do with the use cases of operators on a store.
func (f *storeFlags) operate(cmd *cobra.Command, do func(*operator.Service) error) error {
	cfg, db, err := f.open(cmd)
	if err != nil {
		return err
	}
	defer db.Close()
	log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelError}))
	s, done, err := server.OpenOperator(cmd.Context(), cfg, log, db)
	if err != nil {
		return err
	}
	defer done()
	return do(s)
}

// entryError is notFoundError for the entry of a resource.
func entryError(cmd *cobra.Command, s *operator.Service, resource, name string, err error) error {
	if resource == "agents" {
		return agentError(name, err)
	}
	return notFoundError(strings.TrimSuffix(resource, "s"), name, err, names(cmd, s, resource))
}

// notFoundError says which client, account or task an error is about, and suggests the
// nearest name.
func notFoundError(what, name string, err error, known []string) error {
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, operator.ErrNotFound):
		return fmt.Errorf("%s %q: %w", what, name, err)
	}
	return fmt.Errorf("there is no %s %q%s", what, name, didYouMean(name, known))
}
