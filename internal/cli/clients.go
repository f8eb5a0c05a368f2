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
	cmd.AddCommand(listClientsCommand(), showClientCommand(), addClientCommand(), revokeClientCommand(), removeClientCommand())
	return cmd
}

func listClientsCommand() *cobra.Command {
	var f listFlags
	var kind, text string
	cmd := &cobra.Command{Use: "list", Short: "List the clients: those of the configuration, then the others, latest first", Args: cobra.NoArgs}
	f.add(cmd)
	cmd.Flags().StringVar(&kind, "kind", "", "only clients of this kind: registered, document or configured")
	cmd.Flags().StringVar(&text, "text", "", "only clients with a word in their name or ID that starts with this")
	complete(cmd, "kind", string(operator.Registered), string(operator.Document), string(operator.Configured))
	return withOperator(cmd, func(cmd *cobra.Command, s *operator.Service, _ []string) error {
		k := operator.Kind(kind)
		if err := oneOf("--kind", kind, string(operator.Registered), string(operator.Document), string(operator.Configured)); err != nil {
			return err
		}
		return list(cmd, f, func(span operator.Span) (*operator.Page[operator.Client], error) {
			return s.Clients(cmd.Context(), operator.ClientFilter{Span: span, Kind: k, Text: text})
		}, []string{"ID", "NAME", "KIND", "REDIRECTS TO", "GRANTS", "LAST USE", "SINCE"}, func(c operator.Client) []string {
			return []string{c.ID, c.Name, string(c.Kind), strings.Join(c.RedirectHosts, ","), formatCount(c.Grants), formatTime(c.Used), formatTime(c.Since)}
		})
	})
}

func showClientCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{Use: "show ID", Short: "Show a client", Args: cobra.ExactArgs(1), ValidArgsFunction: completeNames(clientIDs)}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return withOperator(cmd, func(cmd *cobra.Command, s *operator.Service, args []string) error {
		c, err := s.Client(cmd.Context(), args[0])
		if err != nil {
			return notFoundError("client", args[0], err, func() []string { return clientIDs(cmd, s) })
		}
		if asJSON {
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
	var secret, asJSON bool
	cmd := &cobra.Command{Use: "add NAME", Short: "Register a client that cannot register itself", Args: cobra.ExactArgs(1)}
	cmd.Flags().StringSliceVar(&redirects, "redirect-uri", nil, "redirect `URI` (repeatable)")
	cmd.Flags().BoolVar(&secret, "keeps-secret", false, "a confidential client: print its secret, once")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	cmd.MarkFlagRequired("redirect-uri")
	return withOperator(cmd, func(cmd *cobra.Command, s *operator.Service, args []string) error {
		c, err := s.RegisterClient(cmd.Context(), operator.CommandLine, args[0], redirects, secret)
		switch {
		case err != nil:
			return err
		case asJSON:
			return writeJSON(cmd.OutOrStdout(), c)
		}
		return term.Details(cmd.OutOrStdout(), [][2]string{{"client id", c.ID}, {"client secret", c.Secret}})
	})
}

func revokeClientCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "revoke ID", Short: "Revoke all grants of a client", Args: cobra.ExactArgs(1), ValidArgsFunction: completeNames(clientIDs)}
	return withOperator(destructive(cmd), func(cmd *cobra.Command, s *operator.Service, args []string) error {
		c, err := s.Client(cmd.Context(), args[0])
		if err != nil {
			return notFoundError("client", args[0], err, func() []string { return clientIDs(cmd, s) })
		}
		return revokeAll(cmd, s, "", c.ID, "Revoke all grants of "+cmp.Or(c.Name, c.ID)+"?")
	})
}

func removeClientCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "remove ID", Short: "Remove a client and revoke its grants", Args: cobra.ExactArgs(1), ValidArgsFunction: completeNames(clientIDs)}
	return withOperator(destructive(cmd), func(cmd *cobra.Command, s *operator.Service, args []string) error {
		if err := confirm(cmd, "Remove the client %s and revoke its grants?", args[0]); err != nil {
			return err
		}
		err := s.RemoveClient(cmd.Context(), operator.CommandLine, args[0])
		if err != nil {
			return notFoundError("client", args[0], err, func() []string { return clientIDs(cmd, s) })
		}
		return done(cmd, struct{}{}, "%s is removed.", args[0])
	})
}

// clientIDs returns the IDs of the clients, for completion.
func clientIDs(cmd *cobra.Command, s *operator.Service) (ids []string) {
	p, err := s.Clients(cmd.Context(), operator.ClientFilter{Span: operator.Span{Size: operator.LargestPage}})
	if err != nil {
		return nil
	}
	for _, c := range p.Items {
		ids = append(ids, c.ID)
	}
	return ids
}
