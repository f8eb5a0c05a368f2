package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rialto/bridge/directory"
	"rialto/bridge/operator"
	"rialto/internal/doctor"
)

func connectorsCommand() *cobra.Command {
	cmd := command("connectors", "Manage connectors: MCP addresses for a team or a purpose")
	change := onEntry("connectors", "change NAME", "Change a connector that was added")
	change.Long = "Changes only the settings whose flags are given. An empty value clears a setting."
	add := command("add NAME", "Add a connector; its address is the server's with /mcp/NAME")
	add.Args = cobra.ExactArgs(1)
	cmd.AddCommand(
		listCommand("connectors", "List the connectors of the configuration and those that were added"),
		withConnectorFlags(add, (*request).addConnector),
		withConnectorFlags(change, (*request).changeConnector),
		checkConnectorsCommand(),
		removeCommand("connectors"),
	)
	return cmd
}

// checkConnectorsCommand examines this server at each of its addresses. Unlike rialto doctor, it knows
// them, and reads the records.
func checkConnectorsCommand() *cobra.Command {
	cmd := command("check [NAME]", "Run the doctor on each connector, and on the server as a whole")
	cmd.Args = cobra.MaximumNArgs(1)
	cmd.ValidArgsFunction = completeNames("connectors")
	return withOperator(cmd, func(r *request) error {
		addresses, err := r.addresses()
		if err != nil {
			return err
		}
		bar := r.progress("Examining")
		defer bar.Stop()
		r.Examinations.Doctor = stranger{&doctor.Doctor{Checking: bar.Say}}
		var reports []*doctor.Report
		for _, address := range addresses {
			report, err := r.Examine(r.ctx, operator.CommandLine, address, false)
			if err != nil {
				return err
			}
			reports = append(reports, report)
		}

		bar.Stop()
		return r.writeReports(reports)
	})
}

// stranger is a doctor without a token.
type stranger struct{ *doctor.Doctor }

// Examine implements operator.Doctor.
func (s stranger) Examine(ctx context.Context, address, _ string) *doctor.Report {
	return s.Doctor.Examine(ctx, address)
}

// addresses returns that of the connector which the command names, or all of the server.
func (r *request) addresses() ([]string, error) {
	if r.name != "" {
		c, err := r.Agents.Connector(r.ctx, r.name)
		if err != nil {
			return nil, r.entryError("connectors", r.name, err)
		}
		return []string{c.URL}, nil
	}
	connectors, err := r.Agents.Registry.ConnectorsInForce(r.ctx)
	addresses := []string{r.OAuth.Resource}
	for _, c := range connectors {
		addresses = append(addresses, c.URL(r.Agents.Registry.URL))
	}
	return addresses, err
}

// writeReports writes what the doctor found, and fails with the first that is not in order.
func (r *request) writeReports(reports []*doctor.Report) (failed error) {
	mark := markOf(r.out)
	for _, report := range reports {
		if failed == nil {
			failed = exitErrorFor(report)
		}
		if r.asJSON {
			continue
		}
		fmt.Fprintf(r.out, "%s\n", report.URL)
		if err := report.WriteText(r.out, false, mark); err != nil {
			return err
		}
		fmt.Fprintln(r.out)
	}
	if r.asJSON {
		return errors.Join(writeJSON(r.out, reports), failed)
	}
	return failed
}

func withConnectorFlags(cmd *cobra.Command, do func(*request) error) *cobra.Command {
	for _, f := range operator.ConnectorFields(&directory.Connector{}) {
		kind := "`text`: "
		if f.List != nil {
			kind = "`names`, with commas between: "
		}
		cmd.Flags().String(connectorFlag(f), "", kind+f.Help)
	}
	return withOperator(cmd, do)
}

func connectorFlag(f operator.ConnectorField) string { return strings.ReplaceAll(f.Name, "_", "-") }

// setConnector sets what the flags say of a connector.
func setConnector(c *directory.Connector, given *pflag.FlagSet) {
	for _, f := range operator.ConnectorFields(c) {
		if flag := given.Lookup(connectorFlag(f)); flag.Changed {
			f.Set(flag.Value.String())
		}
	}
}

func (r *request) addConnector() error {
	return r.putConnector(directory.Connector{Name: r.name}, 0)
}

func (r *request) changeConnector() error {
	present, err := r.Agents.Connector(r.ctx, r.name)
	if err != nil {
		return r.entryError("connectors", r.name, err)
	}
	return r.putConnector(present.Connector, max(present.Version, 1))
}

func (r *request) putConnector(c directory.Connector, version int64) error {
	setConnector(&c, r.cmd.Flags())
	err := r.Agents.PutConnector(r.ctx, operator.CommandLine, c, version)
	if err != nil {
		return r.entryError("connectors", c.Name, err)
	}
	now, err := r.Agents.Connector(r.ctx, c.Name)
	if err != nil {
		return err
	}
	return r.done(now, "%s is at %s", now.Name, now.URL)
}
