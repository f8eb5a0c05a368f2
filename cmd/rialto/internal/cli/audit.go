package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"rialto/bridge/operator"
	"rialto/internal/audit"
)

var auditFormats = append(slices.Clone(formats), string(operator.OCSF))

func auditCommand() *cobra.Command {
	query := &operator.EventFilter{}
	var format, from string
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Show the audit log, latest first",
		Args:  cobra.NoArgs,
	}
	cmd.AddCommand(verifyAuditCommand())
	jsonFlag(cmd)
	textFlag(
		cmd,
		&from,
		"from",
		"with csv or json, continue an interrupted export: the `cursor` in its last row",
	)
	cmd.Flags().StringVar(
		&format,
		"format",
		"table",
		"table, csv, json or ocsf (one JSON object of OCSF 1.5.0 to a line); all but table print all events",
	)
	complete(cmd, "format", auditFormats...)
	return queryCommand(cmd, query, func(r *request, _ operator.Query) error {
		if err := oneOf("--format", format, auditFormats...); err != nil {
			return err
		}
		if format == "table" {
			return r.writeList(query)
		}
		events := r.AllEvents(r.ctx, query.Filter, from)
		return operator.WriteEvents(
			r.out, operator.Format(format), withProgress(r.cmd, "events", events),
		)
	})
}

func verifyAuditCommand() *cobra.Command {
	var anchors []string
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Check that no event of the audit log was changed, removed or moved",
		Long: "Check the chain of hashes over the audit log. The command fails with the number of " +
			"the first event that was changed, removed or moved. Events that were deleted for " +
			"their age are not missed. That events are missing at the end shows if the end was " +
			"kept elsewhere: audit.anchor_url, or --anchor.",
	}
	cmd.Flags().StringArrayVar(
		&anchors, "anchor", nil, "an earlier end of the log, as `SEQ:HASH` (repeatable)",
	)
	return withOperator(cmd, func(r *request) error {
		var ends []audit.ChainEnd
		for _, text := range anchors {
			end, err := audit.ParseAnchor(text)
			if err != nil {
				return fmt.Errorf("--anchor: %w", err)
			}
			ends = append(ends, end)
		}
		defer r.progress("Checking the chain").Stop()
		c, err := r.VerifyEvents(r.ctx, ends...)
		if err != nil {
			return err
		}
		said := fmt.Sprintf(
			"The audit log is intact: %d events, the last is %d with hash %s.",
			c.Events, c.End.Seq, c.End.Hash,
		)
		if c.Unkeyed > 0 {
			said += fmt.Sprintf(
				" The first %d have no key: someone who can write to the database could have written them.",
				c.Unkeyed,
			)
		}
		return r.done(c, "%s", said)
	})
}
