package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rialto/bridge/directory"
	"rialto/bridge/operator"
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
		removeCommand("connectors"),
	)
	return cmd
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
