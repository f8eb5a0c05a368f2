package cli

import (
	"cmp"
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
			{"since", formatTime(c.Since)},
			{"last use", formatTime(c.Used)},
		})
	})
}

func addClientCommand() *cobra.Command {
	var redirects []string
	var secret bool
	cmd := &cobra.Command{
		Use:   "add NAME",
		Short: "Register a client that cannot register itself",
		Args:  cobra.ExactArgs(1),
	}
	cmd.Flags().StringSliceVar(&redirects, "redirect-uri", nil, "redirect `URI` (repeatable)")
	cmd.Flags().BoolVar(&secret, "keeps-secret", false, "a confidential client: print its secret, once")
	cmd.MarkFlagRequired("redirect-uri")
	return withOperator(cmd, func(r *request) error {
		c, err := r.RegisterClient(r.ctx, operator.CommandLine, r.name, redirects, secret)
		switch {
		case err != nil:
			return err
		case r.asJSON:
			return writeJSON(r.out, c)
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
