package cli

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
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
	var filter usage.Filter
	times := operator.TimeFilters(&filter.Since, &filter.Until)
	var by, format, from string
	var calls, asJSON bool
	cmd := &cobra.Command{
		Use:   "usage",
		Short: "Show how the server was used",
		Long: "Show how many calls there were, how many failed, and how long they took, " +
			"by agent, tool, use case, client or user. Sums cover whole hours. --calls prints each call.",
	}
	addFilters(cmd, times)
	cmd.Flags().StringVar(
		&by,
		"by",
		string(usage.ByAgent),
		"group by agent, tool, usecase, client or user",
	)
	cmd.Flags().StringVar(&format, "format", "table", "table, csv or json")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON, as --format json does")
	cmd.MarkFlagsMutuallyExclusive("json", "format")
	cmd.Flags().StringVar(
		&from,
		"from",
		"",
		"with --calls, continue an interrupted export: the `cursor` in its last row",
	)
	cmd.Flags().BoolVar(
		&calls,
		"calls",
		false,
		"print each call instead, earliest first, as csv or json",
	)
	complete(cmd, "by", groups...)
	complete(cmd, "format", formats...)
	return withOperator(cmd, func(r *request) error {
		if asJSON {
			format = "json"
		}
		if err := oneOf("--format", format, formats...); err != nil {
			return err
		}
		if err := r.setFilters(times); err != nil {
			return err
		}
		f, err := r.ResolveFilter(r.ctx, filter)
		if err != nil {
			return err
		}
		if calls {
			if format == "table" {
				return usageError{
					errors.New("--calls prints csv or json: choose one with --format"),
				}
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
		sums, err := r.Usage(r.ctx, f, usage.By(by), 0)
		if err != nil {
			return err
		}
		if hours := wholeHours(f); hours != "" {
			fmt.Fprintln(r.cmd.ErrOrStderr(), hours)
		}
		if format != "table" {
			return operator.WriteSums(r.out, operator.Format(format), usage.By(by), sums)
		}
		return usageTable(by, sums).Write(r.out)
	})
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
	t := &term.Table{
		Head: []string{
			strings.Replace(strings.ToUpper(by), "USECASE", "USE CASE", 1),
			"CALLS",
			"ERRORS",
			"BYTES IN",
			"BYTES OUT",
			"MEAN ms",
			"P50 ms",
			"P95 ms",
			"P99 ms",
		},
	}
	ms := func(f float64) string { return strconv.FormatFloat(f, 'f', 0, 64) }
	n := func(i int64) string { return strconv.FormatInt(i, 10) }
	for _, s := range sums {
		t.Add(
			cellText(cmp.Or(s.Name, s.Key), 60),
			n(s.Calls),
			n(s.Errors),
			n(s.BytesIn),
			n(s.BytesOut),
			ms(s.Mean),
			ms(s.P50),
			ms(s.P95),
			ms(s.P99),
		)
	}

	return t
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
	return usageError{
		fmt.Errorf(
			"%s: %q is not one of %s%s",
			flag,
			value,
			strings.Join(words, ", "),
			didYouMean(value, words),
		),
	}
}
