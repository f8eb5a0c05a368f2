package cli

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rialto/bridge/operator"
	"rialto/cmd/rialto/internal/term"
	"rialto/internal/usage"
)

var (
	formats = []string{"table", "csv", "json"}
	groups  = []string{"agent", "tool", "usecase", "client", "user"}
)

func usageCommand() *cobra.Command {
	var filter operator.CallFilter
	filters := operator.Filters(&filter)
	var by, format, from, month, user string
	var calls, asJSON bool
	cmd := &cobra.Command{
		Use:   "usage",
		Short: "Show how the server was used",
		Long: "Show how many calls there were, how many failed, and how long they took, " +
			"by agent, tool, use case, client or user. Sums cover whole hours. --calls prints each call, " +
			"and --bill what each account owes for a month.",
	}
	addFilters(cmd, filters)
	cmd.Flags().StringVar(
		&by,
		"by",
		string(usage.ByAgent),
		"group by agent, tool, usecase, client or user",
	)
	cmd.Flags().StringVar(&format, "format", "table", "table, csv or json")
	boolFlag(cmd, &asJSON, "json", "write JSON, as --format json does")
	cmd.MarkFlagsMutuallyExclusive("json", "format")
	textFlag(
		cmd,
		&from,
		"from",
		"with --calls, continue an interrupted export: the `cursor` in its last row",
	)
	boolFlag(
		cmd,
		&calls,
		"calls",
		"print each call instead, earliest first, as csv or json",
	)
	textFlag(
		cmd,
		&month,
		"bill",
		"print what each account owes for a `month` (2026-11, UTC), as its charges add up",
	)
	textFlag(cmd, &user, "user", "with --bill, only the `account` with this name or ID")
	complete(cmd, "by", groups...)
	complete(cmd, "format", formats...)
	return withOperator(cmd, func(r *request) error {
		if asJSON {
			format = "json"
		}
		if err := oneOf("--format", format, formats...); err != nil {
			return err
		}
		if month != "" {
			return printBill(r, month, user, operator.Format(format))
		}
		if err := r.setFilters(filters); err != nil {
			return err
		}
		f, err := r.ResolveFilter(r.ctx, filter.Filter)
		if err != nil {
			return err
		}
		if calls {
			if format == "table" {
				return usagef("--calls prints csv or json: choose one with --format")
			}
			return operator.WriteCalls(
				r.out,
				operator.Format(format),
				withProgress(r.cmd, "calls", r.Calls(r.ctx, f, from)),
			)
		}
		if err := oneOf("--by", by, groups...); err != nil {
			return err
		}
		return printSums(r, f, by, operator.Format(format))
	})
}

func printSums(r *request, f usage.Filter, by string, format operator.Format) error {
	sums, err := r.Usage(r.ctx, f, usage.By(by), 0)
	if err != nil {
		return err
	}
	if hours := wholeHours(f); hours != "" {
		fmt.Fprintln(r.cmd.ErrOrStderr(), hours)
	}
	if format != "table" {
		return operator.WriteSums(r.out, format, usage.By(by), sums)
	}
	return usageTable(by, sums).Write(r.out)
}

func printBill(r *request, month, user string, format operator.Format) error {
	lines, err := operator.Bill(r.ctx, r.Service, month, user)
	if err != nil {
		return err
	}
	if format != "table" {
		return operator.WriteBill(r.out, format, lines)
	}

	t := &term.Table{Head: headings(operator.Columns[operator.BillLine]())}
	for _, l := range lines {
		t.Add(operator.Cells(l)...)
	}
	return t.Write(r.out)
}

// wholeHours says which time the sums cover, if it differs from the requested time.
func wholeHours(f usage.Filter) string {
	since := f.Since.Truncate(time.Hour)
	until := f.Until.Truncate(time.Hour)
	if until.Before(f.Until) {
		until = until.Add(time.Hour)
	}
	if since.Equal(f.Since) && until.Equal(f.Until) {
		return ""
	}

	text := "Sums cover whole hours: these are"
	if !since.IsZero() {
		text += " from " + since.UTC().Format(time.RFC3339)
	}
	if !until.IsZero() {
		text += " to " + until.UTC().Format(time.RFC3339)
	}

	return text + "."
}

func usageTable(by string, sums []usage.Sum) *term.Table {
	const rest = 3 // the first three columns say which sum it is
	head := slices.Concat([]string{by}, operator.Columns[usage.Sum]()[rest:])
	t := &term.Table{Head: headings(head)}
	for _, s := range sums {
		name := cellText(cmp.Or(s.Name, s.Key), 60)
		t.Add(slices.Concat([]string{name}, operator.Cells(s)[rest:])...)
	}
	return t
}

// headings returns names of members of JSON as the head of a table.
func headings(columns []string) []string {
	words := strings.NewReplacer("usecase", "use case", "_milliseconds", " ms", "_", " ")
	return strings.Split(strings.ToUpper(words.Replace(strings.Join(columns, "\n"))), "\n")
}

// withProgress shows the progress of an export.
func withProgress[T any](
	cmd *cobra.Command, what string, rows iter.Seq2[T, error],
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		bar := term.Start(cmd.ErrOrStderr(), "Reading")
		defer bar.Stop()
		n := 0
		for row, err := range rows {
			if !yield(row, err) {
				return
			}
			n++
			bar.Say(fmt.Sprintf("%d %s", n, what))
		}
	}
}

// oneOf returns a usageError if a flag has an unknown value, with the known ones.
func oneOf(flag, value string, words ...string) error {
	if value == "" || slices.Contains(words, value) {
		return nil
	}
	return usagef(
		"%s: %q is not one of %s%s",
		flag,
		value,
		strings.Join(words, ", "),
		didYouMean(value, words),
	)
}
