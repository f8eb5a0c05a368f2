package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"rialto/bridge/operator"
	"rialto/cmd/rialto/internal/server"
	"rialto/cmd/rialto/internal/term"
)

// request is one run of a command that works on the store itself, whether or not a server runs. It has
// the use cases of operators, whose changes the audit log records.
type request struct {
	*operator.Service
	cmd    *cobra.Command
	ctx    context.Context
	out    io.Writer
	args   []string
	name   string // the first of them
	asJSON bool
}

func newRequest(s *operator.Service, cmd *cobra.Command, args []string) *request {
	r := &request{
		Service: s,
		cmd:     cmd,
		ctx:     cmd.Context(),
		out:     cmd.OutOrStdout(),
		args:    args,
		asJSON:  wantsJSON(cmd),
	}
	if len(args) > 0 {
		r.name = args[0]
	}

	return r
}

// withOperator gives a command the flags that find a store, and runs do on it.
func withOperator(cmd *cobra.Command, do func(*request) error) *cobra.Command {
	var from storeFlags
	from.add(cmd)
	if cmd.Flags().Lookup("json") == nil && cmd.Flags().Lookup("format") == nil {
		jsonFlag(cmd)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return from.operate(cmd, args, do) }
	return cmd
}

func command(use, short string) *cobra.Command { return &cobra.Command{Use: use, Short: short} }

// onEntry returns a command with one argument: the name of an entry of a resource.
func onEntry(resource, use, short string) *cobra.Command {
	cmd := command(use, short)
	cmd.Args = cobra.ExactArgs(1)
	takesEntry(cmd, resource)
	return cmd
}

// entryOf is the annotation of commands whose first argument is an entry, with the resource.
const entryOf = "entry of"

// takesEntry completes the first argument of a command, and lets it be the beginning of an ID.
func takesEntry(cmd *cobra.Command, resource string) {
	cmd.Annotations = map[string]string{entryOf: resource}
	cmd.ValidArgsFunction = completeNames(resource)
}

// textFlag adds a flag of text that is empty by default.
func textFlag(cmd *cobra.Command, to *string, name, usage string) {
	cmd.Flags().StringVar(to, name, "", usage)
}

// boolFlag adds a flag that is off by default.
func boolFlag(cmd *cobra.Command, to *bool, name, usage string) {
	cmd.Flags().BoolVar(to, name, false, usage)
}

func jsonFlag(cmd *cobra.Command) { cmd.Flags().Bool("json", false, "write JSON") }

// progress says on the terminal what the command waits for, until it is stopped.
func (r *request) progress(what string) *term.Progress {
	return term.Start(r.cmd.ErrOrStderr(), what)
}

func (r *request) confirm(question string, args ...any) error {
	return confirm(r.cmd, question, args...)
}

func (r *request) done(v any, sentence string, args ...any) error {
	return done(r.cmd, v, sentence, args...)
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
		return usagef("this cannot be undone: confirm it with --yes")
	}

	answer, err := d.Ask(cmd.Context(), fmt.Sprintf(question, args...)+" [y/N] ")
	if err != nil || !strings.HasPrefix(strings.ToLower(answer), "y") {
		return errors.New("nothing was changed")
	}

	return nil
}

// operate runs do with the use cases of operators on a store.
func (f *storeFlags) operate(cmd *cobra.Command, args []string, do func(*request) error) error {
	cfg, db, err := f.open(cmd)
	if err != nil {
		return err
	}
	defer db.Close()
	log := slog.New(
		slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelError}),
	)
	s, finish, err := server.OpenOperator(cmd.Context(), cfg, log, db)
	if err != nil {
		return err
	}
	defer finish()
	r := newRequest(s, cmd, args)
	if resource := cmd.Annotations[entryOf]; resource != "" {
		if err := r.expand(resource); err != nil {
			return err
		}
	}
	return do(r)
}

// entryError is notFoundError for the entry of a resource.
func (r *request) entryError(resource, name string, err error) error {
	if resource == "agents" {
		return agentError(name, err)
	}
	return notFoundError(strings.TrimSuffix(resource, "s"), name, err, r.names(resource))
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
