package cli

import (
	"cmp"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"rialto/bridge/operator"
	"rialto/cmd/rialto/internal/term"
)

func clientsCommand() *cobra.Command {
	cmd := command("clients", "Manage OAuth clients and their grants")
	cmd.AddCommand(
		listCommand(
			"clients",
			"List the clients: those of the configuration, then the others, latest first",
		),
		showClientCommand(),
		addClientCommand(),
		revokeClientCommand(),
		removeCommand("clients"),
	)
	return cmd
}

func showClientCommand() *cobra.Command {
	cmd := onEntry("clients", "show ID", "Show a client")
	return withOperator(cmd, func(r *request) error {
		c, err := r.Client(r.ctx, r.name)
		if err != nil {
			return r.entryError("clients", r.name, err)
		}
		if r.asJSON {
			return writeJSON(r.out, c)
		}
		style := term.StyleOf(r.out)
		return term.Details(r.out, [][2]string{
			{
				"id",
				c.ID,
			},
			{"name", c.Name},
			{"kind", string(c.Kind)},
			{"page", c.URI},
			{"proves itself", c.Auth},
			{
				"redirects to",
				strings.Join(c.RedirectURIs, " "),
			},
			{"live grants", formatCount(c.Grants)},
			{"since", style.Time(c.Since)},
			{"last use", style.Time(c.Used)},
		})
	})
}

func addClientCommand() *cobra.Command {
	var what operator.NewClient
	cmd := &cobra.Command{
		Use:   "add [NAME]",
		Short: "Register a client that cannot register itself",
		Args:  cobra.MaximumNArgs(1),
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&what.RedirectURIs, "redirect-uri", nil, "redirect `URI` (repeatable)")
	boolFlag(cmd, &what.KeepsSecret, "keeps-secret", "a confidential client: print its secret, once")
	textFlag(
		cmd, &what.App, "app", "`claude`: a client for Claude, with what to paste into its settings",
	)
	textFlag(cmd, &what.Connector, "connector", "the `name` of the connector that the app is for")
	cmd.MarkFlagsOneRequired("redirect-uri", "app")
	cmd.MarkFlagsMutuallyExclusive("redirect-uri", "app")
	complete(cmd, "app", operator.AppClaude)
	completeFrom(cmd, "connector", "connectors")
	return withOperator(cmd, func(r *request) error {
		what.Name = r.name
		c, err := r.RegisterClient(r.ctx, operator.CommandLine, what)
		switch {
		case errors.Is(err, operator.ErrNotFound):
			return r.entryError("connectors", what.Connector, err)
		case err != nil:
			return err
		case r.asJSON:
			return writeJSON(r.out, c)
		case what.App == operator.AppClaude:
			return term.Details(r.out, c.ClaudeSettings())
		}
		return term.Details(r.out, [][2]string{{"client id", c.ID}, {"client secret", c.Secret}})
	})
}

func revokeClientCommand() *cobra.Command {
	cmd := onEntry("clients", "revoke ID", "Revoke all grants of a client")
	return withOperator(destructive(cmd), func(r *request) error {
		c, err := r.Client(r.ctx, r.name)
		if err != nil {
			return r.entryError("clients", r.name, err)
		}
		return r.revokeAll("", c.ID, "Revoke all grants of "+cmp.Or(c.Name, c.ID)+"?")
	})
}
