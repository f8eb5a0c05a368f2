package cli

import (
	"errors"
	"fmt"
	"strings"

	"rialto/bridge/operator"

	"github.com/spf13/cobra"
)

func grantsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "grants", Short: "See what people have granted apps, and end it"}
	cmd.AddCommand(listGrantsCommand(), revokeGrantCommand())
	return cmd
}

func listGrantsCommand() *cobra.Command {
	var f listFlags
	var user, client string
	var live bool
	cmd := &cobra.Command{Use: "list", Short: "List the grants, the latest first", Args: cobra.NoArgs}
	f.add(cmd)
	cmd.Flags().StringVar(&user, "user", "", "only what the account with this `name` has granted")
	cmd.Flags().StringVar(&client, "client", "", "only what the client with this `ID` was granted")
	cmd.Flags().BoolVar(&live, "live", false, "only grants that open something")
	completeFrom(cmd, "user", userNames)
	completeFrom(cmd, "client", clientIDs)
	return withOperator(cmd, func(cmd *cobra.Command, s *operator.Service, _ []string) error {
		account, err := accountID(cmd, s, user)
		if err != nil {
			return err
		}
		return list(cmd, f, func(span operator.Span) (*operator.Page[operator.Grant], error) {
			return s.Grants(cmd.Context(), operator.GrantFilter{Span: span, AccountID: account, ClientID: client, Live: live})
		}, []string{"ID", "ACCOUNT", "CLIENT", "STATE", "SCOPE", "CREATED", "LAST USE", "EXPIRES"}, func(g operator.Grant) []string {
			return []string{g.ID, g.Account, g.ClientName, string(g.State), strings.Join(g.Scope, ","), formatTime(g.Created), formatTime(g.Used), formatTime(g.Expires)}
		})
	})
}

func revokeGrantCommand() *cobra.Command {
	var user, client string
	cmd := &cobra.Command{
		Use:   "revoke [ID]",
		Short: "End a grant, or all of an account, of a client, or of both",
		Args:  cobra.MaximumNArgs(1),
	}
	cmd.Flags().StringVar(&user, "user", "", "all that the account with this `name` has granted")
	cmd.Flags().StringVar(&client, "client", "", "all that the client with this `ID` was granted")
	completeFrom(cmd, "user", userNames)
	completeFrom(cmd, "client", clientIDs)
	return withOperator(cmd, func(cmd *cobra.Command, s *operator.Service, args []string) error {
		one := len(args) == 1
		if one == (user != "" || client != "") {
			return errors.New("name a grant, or the grants of --user, of --client, or of both: rialto grants list shows them")
		}
		if one {
			if err := s.RevokeGrant(cmd.Context(), operator.CommandLine, args[0]); err != nil {
				return notFoundError("grant", args[0], err, nil)
			}
			fmt.Fprintln(cmd.OutOrStdout(), "The grant has ended.")
			return nil
		}
		account, err := accountID(cmd, s, user)
		if err != nil {
			return err
		}
		n, err := s.RevokeGrants(cmd.Context(), operator.CommandLine, account, client)
		if err == nil {
			fmt.Fprintf(cmd.OutOrStdout(), "%d grants have ended.\n", n)
		}
		return err
	})
}

// accountID returns the ID of the account with a name; "" of "".
func accountID(cmd *cobra.Command, s *operator.Service, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	a, err := s.Account(cmd.Context(), name)
	if err != nil {
		return "", notFoundError("account", name, err, func() []string { return userNames(cmd, s) })
	}
	return a.ID, nil
}

// userNames returns the names of accounts to choose from.
func userNames(cmd *cobra.Command, s *operator.Service) (names []string) {
	p, err := s.Accounts(cmd.Context(), operator.AccountFilter{Span: operator.Span{Size: operator.LargestPage}})
	if err != nil {
		return nil
	}
	for _, a := range p.Items {
		names = append(names, a.Name)
	}
	return names
}
