package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

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

// done says what a command did: a sentence or, with --json, what the REST API answers.
func done(cmd *cobra.Command, v any, sentence string, args ...any) error {
	if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
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

// maxListed limits the rows of a list.
const maxListed = 100_000

type listFlags struct {
	limit  int
	asJSON bool
}

func (f *listFlags) add(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.limit, "limit", 100, "maximum number of rows (up to "+strconv.Itoa(maxListed)+")")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "write JSON")
}

func (f *listFlags) check() error {
	if f.limit < 1 || f.limit > maxListed {
		return usageError{fmt.Errorf("--limit must be from 1 to %d", maxListed)}
	}
	return nil
}

// list prints the pages of a list as a table or JSON. It says on standard error if there is more.
func list[T any](cmd *cobra.Command, f listFlags, page func(operator.Span) (*operator.Page[T], error), head []string, row func(T) []string) error {
	if err := f.check(); err != nil {
		return err
	}
	items, span := []T{}, operator.Span{}
	bar := term.Start(cmd.ErrOrStderr(), "Reading")
	defer bar.Stop()
	for len(items) < f.limit {
		span.Size = min(f.limit-len(items), operator.LargestPage)
		p, err := page(span)
		if err != nil {
			return err
		}
		items = append(items, p.Items...)
		bar.Say(fmt.Sprintf("%d rows", len(items)))
		if span.Cursor = p.Next; p.Next == "" {
			break
		}
	}
	bar.Stop()
	more := span.Cursor != "" || len(items) > f.limit
	items = items[:min(len(items), f.limit)]
	if f.asJSON {
		if err := writeJSON(cmd.OutOrStdout(), items); err != nil {
			return err
		}
	} else {
		t := &term.Table{Head: head}
		for _, item := range items {
			t.Add(row(item)...)
		}
		if err := t.Write(cmd.OutOrStdout()); err != nil {
			return err
		}
	}
	if more {
		fmt.Fprintf(cmd.ErrOrStderr(), "There are more: --limit shows up to %d.\n", maxListed)
	}
	return nil
}

// timeFlags are --since and --until.
type timeFlags struct{ since, until string }

func (f *timeFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.since, "since", "", "from this `time` on: 2026-11-21T08:00:00Z, 2026-11-21, or how long ago, such as 24h or 7d")
	cmd.Flags().StringVar(&f.until, "until", "", "before this `time`")
}

func (f *timeFlags) times() (since, until time.Time, err error) {
	now := time.Now()
	if since, err = operator.ParseTime(f.since, now); err != nil {
		return since, until, usageError{fmt.Errorf("--since: %w", err)}
	}
	if until, err = operator.ParseTime(f.until, now); err != nil {
		return since, until, usageError{fmt.Errorf("--until: %w", err)}
	}
	return since, until, nil
}

// notFoundError says which client, account or task an error is about, and suggests the
// nearest name.
func notFoundError(what, name string, err error, known func() []string) error {
	switch {
	case err == nil:
		return nil
	case !errors.Is(err, operator.ErrNotFound):
		return fmt.Errorf("%s %q: %w", what, name, err)
	}
	hint := ""
	if known != nil {
		hint = didYouMean(name, known())
	}
	return fmt.Errorf("there is no %s %q%s", what, name, hint)
}
