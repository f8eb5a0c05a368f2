package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rialto/bridge/operator"
)

func grantsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "grants", Short: "List and revoke grants"}
	cmd.AddCommand(listGrantsCommand(), revokeGrantCommand())
	return cmd
}

func listGrantsCommand() *cobra.Command {
	var f listFlags
	var user, client string
	var live bool
	cmd := &cobra.Command{Use: "list", Short: "List the grants, latest first", Args: cobra.NoArgs}
	f.add(cmd)
	cmd.Flags().StringVar(&user, "user", "", "only grants of the account with this `name`")
	cmd.Flags().StringVar(&client, "client", "", "only grants of the client with this `ID`")
	cmd.Flags().BoolVar(&live, "live", false, "only live grants")
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
		Short: "Revoke a grant, or all grants of an account, a client, or both",
		Args:  cobra.MaximumNArgs(1),
	}
	cmd.Flags().StringVar(&user, "user", "", "all grants of the account with this `name`")
	cmd.Flags().StringVar(&client, "client", "", "all grants of the client with this `ID`")
	completeFrom(cmd, "user", userNames)
	completeFrom(cmd, "client", clientIDs)
	cmd.ValidArgsFunction = completeNames(grantIDs)
	return withOperator(destructive(cmd), func(cmd *cobra.Command, s *operator.Service, args []string) error {
		one := len(args) == 1
		if one == (user != "" || client != "") {
			return usageError{errors.New("name a grant, or use --user, --client or both: rialto grants list lists the grants")}
		}
		if one {
			if err := confirm(cmd, "Revoke the grant %s?", args[0]); err != nil {
				return err
			}
			if err := s.RevokeGrant(cmd.Context(), operator.CommandLine, args[0]); err != nil {
				return notFoundError("grant", args[0], err, nil)
			}
			return done(cmd, struct{}{}, "The grant is revoked.")
		}
		account, err := accountID(cmd, s, user)
		if err != nil {
			return err
		}
		if client != "" {
			if _, err := s.Client(cmd.Context(), client); err != nil {
				return notFoundError("client", client, err, func() []string { return clientIDs(cmd, s) })
			}
		}
		return revokeAll(cmd, s, account, client, "Revoke all grants of "+strings.Join(strings.Fields(user+" "+client), " for ")+"?")
	})
}

// revoked counts grants as the REST API does.
type revoked struct {
	N int `json:"revoked"`
}

func (r revoked) String() string {
	if r.N == 1 {
		return "1 grant revoked"
	}
	return fmt.Sprintf("%d grants revoked", r.N)
}

// revokeAll revokes the grants of an account, a client, or both, after a question.
func revokeAll(cmd *cobra.Command, s *operator.Service, account, client, question string) error {
	if err := confirm(cmd, "%s", question); err != nil {
		return err
	}
	n, err := s.RevokeGrants(cmd.Context(), operator.CommandLine, account, client)
	if err != nil {
		return err
	}
	return done(cmd, revoked{n}, "%s.", revoked{n})
}

// accountID returns the ID of the account with a name, or "" for "".
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

// userNames returns the names of the accounts, for completion.
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

// grantIDs returns the IDs of the live grants, with what a shell shows beside them.
func grantIDs(cmd *cobra.Command, s *operator.Service) (ids []string) {
	p, err := s.Grants(cmd.Context(), operator.GrantFilter{Span: operator.Span{Size: operator.LargestPage}, Live: true})
	if err != nil {
		return nil
	}
	for _, g := range p.Items {
		ids = append(ids, cobra.CompletionWithDesc(g.ID, g.Account+" "+cellText(g.ClientName, 40)))
	}
	return ids
}
