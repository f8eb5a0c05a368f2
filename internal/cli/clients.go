package cli

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"rialto/bridge/operator"
	"rialto/internal/cli/term"
)

func clientsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "clients", Short: "Manage OAuth clients and their grants"}
	cmd.AddCommand(listCommand("clients", "List the clients: those of the configuration, then the others, latest first"), showClientCommand(), addClientCommand(), revokeClientCommand(), removeCommand("clients"))
	return cmd
}

func showClientCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "show ID", Short: "Show a client", Args: cobra.ExactArgs(1), ValidArgsFunction: completeNames("clients")}
	return withOperator(cmd, func(cmd *cobra.Command, s *operator.Service, args []string) error {
		c, err := s.Client(cmd.Context(), args[0])
		if err != nil {
			return entryError(cmd, s, "clients", args[0], err)
		}
		if wantsJSON(cmd) {
			return writeJSON(cmd.OutOrStdout(), c)
		}
		return term.Details(cmd.OutOrStdout(), [][2]string{
			{"id", c.ID}, {"name", c.Name}, {"kind", string(c.Kind)}, {"page", c.URI}, {"proves itself", c.Auth},
			{"redirects to", strings.Join(c.RedirectURIs, " ")}, {"live grants", formatCount(c.Grants)}, {"since", formatTime(c.Since)}, {"last use", formatTime(c.Used)},
		})
	})
}

func addClientCommand() *cobra.Command {
	var redirects []string
	var secret bool
	cmd := &cobra.Command{Use: "add NAME", Short: "Register a client that cannot register itself", Args: cobra.ExactArgs(1)}
	cmd.Flags().StringSliceVar(&redirects, "redirect-uri", nil, "redirect `URI` (repeatable)")
	cmd.Flags().BoolVar(&secret, "keeps-secret", false, "a confidential client: print its secret, once")
	cmd.MarkFlagRequired("redirect-uri")
	return withOperator(cmd, func(cmd *cobra.Command, s *operator.Service, args []string) error {
		c, err := s.RegisterClient(cmd.Context(), operator.CommandLine, args[0], redirects, secret)
		switch {
		case err != nil:
			return err
		case wantsJSON(cmd):
			return writeJSON(cmd.OutOrStdout(), c)
		}
		return term.Details(cmd.OutOrStdout(), [][2]string{{"client id", c.ID}, {"client secret", c.Secret}})
	})
}

func revokeClientCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "revoke ID", Short: "Revoke all grants of a client", Args: cobra.ExactArgs(1), ValidArgsFunction: completeNames("clients")}
	return withOperator(destructive(cmd), func(cmd *cobra.Command, s *operator.Service, args []string) error {
		c, err := s.Client(cmd.Context(), args[0])
		if err != nil {
			return entryError(cmd, s, "clients", args[0], err)
		}
		return revokeAll(cmd, s, "", c.ID, "Revoke all grants of "+cmp.Or(c.Name, c.ID)+"?")
	})
}
