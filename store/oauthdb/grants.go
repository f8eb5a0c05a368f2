package oauthdb

import (
	"context"
	"maps"
	"slices"
	"time"

	"rialto/oauth"
	"rialto/store/sqldb"
)

// Grants keeps grants, the requests for them, and the codes and refresh tokens that stand for
// them: it implements token.GrantStore and the stores of package flow.
type Grants struct{ sql *sqldb.DB }

// AddGrant implements token.GrantStore.
func (db *Grants) AddGrant(ctx context.Context, g *oauth.Grant) error {
	return addGrant(ctx, db.sql.Write, g)
}

func addGrant(ctx context.Context, q sqldb.Querier, g *oauth.Grant) error {
	return sqldb.Exec(ctx, q, `
		INSERT INTO grants (
			id, account_id, client_id, scope, resource, auth_time, created, expires, parent,
			client_name)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		g.ID, g.AccountID, g.ClientID, g.Scope.String(), g.Resource, g.AuthTime, g.Created,
		g.Expires, g.Parent, g.ClientName)
}

// Grant implements token.GrantStore.
func (db *Grants) Grant(ctx context.Context, id string) (*oauth.Grant, error) {
	return grant(ctx, db.sql.Read, id)
}

func grant(ctx context.Context, q sqldb.Querier, id string) (*oauth.Grant, error) {
	return scanGrant(q.QueryRowContext(ctx, `
		SELECT `+grantColumns+`
		FROM grants g JOIN accounts a ON a.id = g.account_id WHERE g.id = $1`,
		id))
}

// grantColumns count a grant as revoked whose parent is, or is gone.
const grantColumns = `g.id, g.account_id, a.name, a.disabled, a.admin, a.usecases,
	g.client_id, g.client_name, g.scope, g.resource, g.auth_time,
	g.created, g.expires, g.used, g.parent, CASE
		WHEN g.parent = '' THEN g.revoked
		ELSE COALESCE((
			SELECT CASE WHEN p.revoked = 0 THEN g.revoked ELSE p.revoked END
			FROM grants p WHERE p.id = g.parent), 1)
	END`

// scanGrant reads grantColumns, and more columns behind them.
func scanGrant(row sqldb.Row, more ...any) (*oauth.Grant, error) {
	g := &oauth.Grant{}
	return found(g, row.Scan(append([]any{
		&g.ID,
		&g.AccountID,
		&g.Name,
		&g.Disabled,
		&g.Admin,
		sqldb.List(&g.UseCases),
		&g.ClientID,
		&g.ClientName,
		sqldb.List(&g.Scope),
		&g.Resource,
		&g.AuthTime,
		&g.Created,
		&g.Expires,
		&g.Used,
		&g.Parent,
		&g.Revoked,
	}, more...)...))
}

// RevokeGrant implements token.GrantStore.
func (db *Grants) RevokeGrant(ctx context.Context, id string, now time.Time) error {
	return revokeGrant(ctx, db.sql.Write, id, now)
}

func revokeGrant(ctx context.Context, q sqldb.Querier, id string, now time.Time) error {
	return sqldb.Exec(ctx, q, `
		UPDATE grants SET revoked = $1 WHERE id = $2 AND revoked = 0`,
		now, id)
}

// revocations end grants by whose they are. Each is a text of its own, so that each has an index.
var revocations = map[string]string{
	"account": `account_id = $3`,
	"client":  `client_id = $3`,
	"both":    `account_id = $3 AND client_id = $4`,
}

// RevokeGrants implements token.GrantStore.
func (db *Grants) RevokeGrants(
	ctx context.Context,
	accountID, clientID string,
	now time.Time,
	limit int,
) (int, error) {
	which := "both"
	args := []any{accountID, clientID}
	switch {
	case clientID == "":
		which = "account"
		args = []any{accountID}
	case accountID == "":
		which = "client"
		args = []any{clientID}
	}

	n, err := sqldb.Changed(ctx, db.sql.Write, `
		UPDATE grants SET revoked = $1 WHERE revoked = 0 AND id IN (
			SELECT id FROM grants
			WHERE revoked = 0 AND expires > $1 AND `+revocations[which]+` LIMIT $2)`,
		append([]any{now, limit}, args...)...)
	return int(n), err
}

// NoteUses implements token.GrantStore.
func (db *Grants) NoteUses(ctx context.Context, last map[string]time.Time) error {
	ids := slices.Sorted(maps.Keys(last)) // replicas take the rows in one order
	for chunk := range slices.Chunk(ids, batch) {
		err := db.sql.InTx(ctx, func(t *sqldb.Tx) error {
			for _, id := range chunk {
				err := sqldb.Exec(ctx, t, `
					UPDATE grants SET used = $1 WHERE id = $2 AND used < $1`,
					last[id], id)
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}

	return nil
}
