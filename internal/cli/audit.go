package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"rialto/bridge/operator"
	"rialto/internal/audit"
	"rialto/internal/cli/term"
)

var auditFormats = append(slices.Clone(formats), string(operator.OCSF))

func auditCommand() *cobra.Command {
	var l listFlags
	var when timeFlags
	var f audit.Filter
	var format, from string
	cmd := &cobra.Command{Use: "audit", Short: "Show the audit log, latest first", Args: cobra.NoArgs}
	cmd.AddCommand(verifyAuditCommand())
	l.add(cmd)
	when.add(cmd)
	cmd.Flags().StringVar(&from, "from", "", "with csv or json, continue an interrupted export: the `cursor` in its last row")
	cmd.Flags().StringVar((*string)(&f.Kind), "kind", "", "only events of this kind, or of kinds that start with this word: account")
	cmd.Flags().StringVar(&f.Actor, "actor", "", "only events of the account with this `name` or ID")
	cmd.Flags().StringVar(&f.Target, "target", "", "only events with this target")
	cmd.Flags().StringVar((*string)(&f.Outcome), "outcome", "", "ok, failed or denied")
	cmd.Flags().StringVar(&format, "format", "table", "table, csv, json or ocsf (one JSON object of OCSF 1.5.0 to a line); all but table print all events")
	var words []string
	for _, k := range audit.Kinds {
		target, _, _ := strings.Cut(string(k), ".")
		words = append(words, target, string(k))
	}
	slices.Sort(words)
	words = slices.Compact(words)
	complete(cmd, "kind", words...)
	complete(cmd, "outcome", "ok", "failed", "denied")
	complete(cmd, "format", auditFormats...)
	completeFrom(cmd, "actor", userNames)
	return withOperator(cmd, func(cmd *cobra.Command, s *operator.Service, _ []string) error {
		if err := errors.Join(oneOf("--format", format, auditFormats...), oneOf("--kind", string(f.Kind), words...), oneOf("--outcome", string(f.Outcome), "ok", "failed", "denied")); err != nil {
			return err
		}
		var err error
		if f.Since, f.Until, err = when.times(); err != nil {
			return err
		}
		if format != "table" {
			return operator.WriteEvents(cmd.OutOrStdout(), operator.Format(format), withProgress(cmd, "events", s.AllEvents(cmd.Context(), f, from)))
		}
		return list(cmd, l, func(span operator.Span) (*operator.Page[audit.Event], error) {
			return s.Events(cmd.Context(), operator.EventFilter{Span: span, Filter: f})
		}, []string{"TIME", "KIND", "OUTCOME", "WHO", "FROM", "WHAT", "DETAIL"}, func(e audit.Event) []string {
			return []string{e.At.UTC().Format("2006-01-02 15:04:05Z"), string(e.Kind), string(e.Outcome), e.Actor, e.Address, cellText(e.Target, 50), cellText(e.Detail, 60)}
		})
	})
}

func verifyAuditCommand() *cobra.Command {
	return withOperator(&cobra.Command{
		Use:   "verify",
		Short: "Check that no event of the audit log was changed, removed or moved",
		Long: "Check the chain of hashes over the audit log. The command fails with the number of the first event that " +
			"was changed, removed or moved. Events that were deleted for their age are not missed.",
		Args: cobra.NoArgs,
	}, func(cmd *cobra.Command, s *operator.Service, _ []string) error {
		defer term.Start(cmd.ErrOrStderr(), "Checking the chain").Stop()
		c, err := s.VerifyEvents(cmd.Context())
		if err != nil {
			return err
		}
		return done(cmd, c, "The audit log is intact: %d events, the last is %d with hash %s.", c.Events, c.End.Seq, c.End.Hash)
	})
}
