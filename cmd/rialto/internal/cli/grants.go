package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rialto/bridge/operator"
)

func grantsCommand() *cobra.Command {
	cmd := command("grants", "List and revoke grants")
	cmd.AddCommand(listCommand("grants", "List the grants, latest first"), revokeGrantCommand())
	return cmd
}

func revokeGrantCommand() *cobra.Command {
	var user, client string
	cmd := &cobra.Command{
		Use:   "revoke [ID]",
		Short: "Revoke a grant, or all grants of an account, a client, or both",
		Args:  cobra.MaximumNArgs(1),
	}
	textFlag(cmd, &user, "user", "all grants of the account with this `name`")
	textFlag(cmd, &client, "client", "all grants of the client with this `ID`")
	completeFrom(cmd, "user", "accounts")
	completeFrom(cmd, "client", "clients")
	takesEntry(cmd, "grants")
	return withOperator(destructive(cmd), func(r *request) error {
		one := len(r.args) == 1
		if one == (user != "" || client != "") {
			return usagef(
				"name a grant, or use --user, --client or both: rialto grants list lists the grants",
			)
		}
		if one {
			if err := r.confirm("Revoke the grant %s?", r.name); err != nil {
				return err
			}
			if err := r.RevokeGrant(r.ctx, operator.CommandLine, r.name); err != nil {
				return notFoundError("grant", r.name, err, nil)
			}
			return r.done(struct{}{}, "The grant is revoked.")
		}
		account, err := r.accountID(user)
		if err != nil {
			return err
		}
		if client != "" {
			if _, err := r.Client(r.ctx, client); err != nil {
				return r.entryError("clients", client, err)
			}
		}
		return r.revokeAll(
			account,
			client,
			"Revoke all grants of "+strings.Join(strings.Fields(user+" "+client), " for ")+"?",
		)
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
func (r *request) revokeAll(account, client, question string) error {
	if err := r.confirm("%s", question); err != nil {
		return err
	}
	n, err := r.RevokeGrants(r.ctx, operator.CommandLine, account, client)
	if err != nil {
		return err
	}
	return r.done(revoked{n}, "%s.", revoked{n})
}

// accountID returns the ID of the account with a name, or "" for "".
func (r *request) accountID(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	a, err := r.Account(r.ctx, name)
	if err != nil {
		return "", r.entryError("accounts", name, err)
	}
	return a.ID, nil
}
