package cli

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"rialto/bridge/operator"
	"rialto/internal/cli/term"
	"rialto/internal/usage"
)

var formats = []string{"table", "csv", "json"}

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
		Args: cobra.NoArgs,
	}
	addFilters(cmd, times)
	cmd.Flags().StringVar(&by, "by", string(usage.ByAgent), "group by agent, tool, usecase, client or user")
	cmd.Flags().StringVar(&format, "format", "table", "table, csv or json")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON, as --format json does")
	cmd.MarkFlagsMutuallyExclusive("json", "format")
	cmd.Flags().StringVar(&from, "from", "", "with --calls, continue an interrupted export: the `cursor` in its last row")
	cmd.Flags().BoolVar(&calls, "calls", false, "print each call instead, earliest first, as csv or json")
	complete(cmd, "by", "agent", "tool", "usecase", "client", "user")
	complete(cmd, "format", formats...)
	return withOperator(cmd, func(cmd *cobra.Command, s *operator.Service, _ []string) error {
		if asJSON {
			format = "json"
		}
		if err := oneOf("--format", format, formats...); err != nil {
			return err
		}
		if err := setFilters(cmd, s, times); err != nil {
			return err
		}
		f, err := s.ResolveFilter(cmd.Context(), filter)
		if err != nil {
			return err
		}
		if calls {
			if format == "table" {
				return usageError{errors.New("--calls prints csv or json: choose one with --format")}
			}
			return operator.WriteCalls(cmd.OutOrStdout(), operator.Format(format), withProgress(cmd, "calls", s.Calls(cmd.Context(), f, from)))
		}
		if err := oneOf("--by", by, "agent", "tool", "usecase", "client", "user"); err != nil {
			return err
		}
		sums, err := s.Usage(cmd.Context(), f, usage.By(by), 0)
		if err != nil {
			return err
		}
		if hours := wholeHours(f); hours != "" {
			fmt.Fprintln(cmd.ErrOrStderr(), hours)
		}
		if format != "table" {
			return operator.WriteSums(cmd.OutOrStdout(), operator.Format(format), usage.By(by), sums)
		}
		return usageTable(by, sums).Write(cmd.OutOrStdout())
	})
}

// wholeHours says which time the sums cover, if it differs from the requested time.
func wholeHours(f usage.Filter) string {
	since, until := f.Since.Truncate(time.Hour), f.Until.Truncate(time.Hour)
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

var headings = map[string]string{"agent": "AGENT", "tool": "TOOL", "usecase": "USE CASE", "client": "CLIENT", "user": "USER"}

func usageTable(by string, sums []usage.Sum) *term.Table {
	t := &term.Table{Head: []string{headings[by], "CALLS", "ERRORS", "BYTES IN", "BYTES OUT", "MEAN ms", "P50 ms", "P95 ms", "P99 ms"}}
	ms := func(f float64) string { return strconv.FormatFloat(f, 'f', 0, 64) }
	n := func(i int64) string { return strconv.FormatInt(i, 10) }
	for _, s := range sums {
		key := s.Key
		if s.Name != "" {
			key = s.Name
		}
		t.Add(cellText(key, 60), n(s.Calls), n(s.Errors), n(s.BytesIn), n(s.BytesOut), ms(s.Mean), ms(s.P50), ms(s.P95), ms(s.P99))
	}
	return t
}

// withProgress shows the progress of an export.
func withProgress[T any](cmd *cobra.Command, what string, rows iter.Seq2[T, error]) iter.Seq2[T, error] {
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
	return usageError{fmt.Errorf("%s: %q is not one of %s%s", flag, value, joinWords(words), didYouMean(value, words))}
}

func joinWords(words []string) string {
	s := ""
	for i, w := range words {
		if i > 0 {
			s += ", "
		}
		s += w
	}
	return s
}
