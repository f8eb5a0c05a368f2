package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"rialto/bridge/operator"
	"rialto/internal/cli/term"
)

var auditFormats = append(slices.Clone(formats), string(operator.OCSF))

func auditCommand() *cobra.Command {
	query := &operator.EventFilter{}
	var format, from string
	cmd := &cobra.Command{Use: "audit", Short: "Show the audit log, latest first", Args: cobra.NoArgs}
	cmd.AddCommand(verifyAuditCommand())
	cmd.Flags().Bool("json", false, "write JSON")
	cmd.Flags().StringVar(&from, "from", "", "with csv or json, continue an interrupted export: the `cursor` in its last row")
	cmd.Flags().StringVar(&format, "format", "table", "table, csv, json or ocsf (one JSON object of OCSF 1.5.0 to a line); all but table print all events")
	complete(cmd, "format", auditFormats...)
	return queryCommand(cmd, query, func(cmd *cobra.Command, s *operator.Service, _ operator.Query) error {
		if err := oneOf("--format", format, auditFormats...); err != nil {
			return err
		}
		if format == "table" {
			return writeList(cmd, s, query)
		}
		events := s.AllEvents(cmd.Context(), query.Filter, from)
		return operator.WriteEvents(cmd.OutOrStdout(), operator.Format(format), withProgress(cmd, "events", events))
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
