package cli

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"rialto/bridge/operator"
	"rialto/internal/config"
	"rialto/internal/server"
)

// withOperator gives a command the flags that find a store, and runs do with the use
// cases of operators on it. A server may be running. The audit log records the changes.
func withOperator(cmd *cobra.Command, do func(*cobra.Command, *operator.Service, []string) error) *cobra.Command {
	var from storeFlags
	from.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return from.operate(cmd, func(s *operator.Service) error { return do(cmd, s, args) })
	}
	return cmd
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
		return fmt.Errorf("--limit must be from 1 to %d", maxListed)
	}
	return nil
}

// list prints the pages of a list as a table or JSON. It says on standard error if there is more.
func list[T any](cmd *cobra.Command, f listFlags, page func(operator.Span) (*operator.Page[T], error), head []string, row func(T) []string) error {
	if err := f.check(); err != nil {
		return err
	}
	items, span := []T{}, operator.Span{}
	bar := newProgress(cmd, "read")
	defer bar.done()
	for len(items) < f.limit {
		span.Size = min(f.limit-len(items), operator.LargestPage)
		p, err := page(span)
		if err != nil {
			return err
		}
		items = append(items, p.Items...)
		bar.at(len(items))
		if span.Cursor = p.Next; p.Next == "" {
			break
		}
	}
	bar.done()
	more := span.Cursor != "" || len(items) > f.limit
	items = items[:min(len(items), f.limit)]
	if f.asJSON {
		if err := writeJSON(cmd.OutOrStdout(), items); err != nil {
			return err
		}
	} else {
		t := &table{head: head}
		for _, item := range items {
			t.add(row(item)...)
		}
		if err := t.write(cmd.OutOrStdout()); err != nil {
			return err
		}
	}
	if more {
		fmt.Fprintf(cmd.ErrOrStderr(), "There are more: --limit shows up to %d.\n", maxListed)
	}
	return nil
}

// formatTime formats a time for a table; "" for the zero time.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04Z")
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// formatCount formats a number that is counted up to a limit.
func formatCount(n int) string {
	if n >= operator.MostCounted {
		return strconv.Itoa(operator.MostCounted) + "+"
	}
	return strconv.Itoa(n)
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
		return since, until, fmt.Errorf("--since: %w", err)
	}
	if until, err = operator.ParseTime(f.until, now); err != nil {
		return since, until, fmt.Errorf("--until: %w", err)
	}
	return since, until, nil
}

// progress shows on a terminal how far a long command is.
type progress struct {
	to    io.Writer // nil says nothing
	what  string
	began time.Time
	said  time.Time
}

func newProgress(cmd *cobra.Command, what string) *progress {
	p := &progress{what: what, began: time.Now()}
	if f, ok := cmd.ErrOrStderr().(*os.File); ok && isTerminal(f) {
		p.to = f
	}
	return p
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// at shows that n items are done.
func (p *progress) at(n int) {
	now := time.Now()
	if p.to == nil || now.Sub(p.began) < time.Second || now.Sub(p.said) < 200*time.Millisecond {
		return
	}
	p.said = now
	fmt.Fprintf(p.to, "\r%d %s, %.0f a second ", n, p.what, float64(n)/now.Sub(p.began).Seconds())
}

// done clears the line.
func (p *progress) done() {
	if p.to != nil && !p.said.IsZero() {
		fmt.Fprint(p.to, "\r\x1b[K")
		p.to = nil
	}
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
		if close := config.Nearest(name, known()); close != "" && config.Similar(name, close) {
			hint = fmt.Sprintf("; did you mean %q?", close)
		}
	}
	return fmt.Errorf("there is no %s %q%s", what, name, hint)
}
