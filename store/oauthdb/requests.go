package oauthdb

import (
	"context"
	"time"

	"rialto/oauth"
	"rialto/store/sqldb"
)

// AddRequest implements flow.RequestStore.
func (db *Grants) AddRequest(ctx context.Context, r *oauth.Request) error {
	return sqldb.Exec(ctx, db.sql.Write, `
		INSERT INTO requests (`+requestColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		r.Handle, r.Browser, r.ClientID, r.RedirectURI, r.RedirectSent, r.State,
		r.Scope.String(), r.Resource, r.Challenge, r.JKT, r.SignedInAfter, r.Expires)
}

const requestColumns = `handle, browser, client_id, redirect_uri, redirect_sent, state, scope, resource,
	challenge, jkt, signed_in_after, expires`

// Request implements flow.RequestStore.
func (db *Grants) Request(
	ctx context.Context, handle string, now time.Time,
) (*oauth.Request, error) {
	return scanRequest(db.sql.Read.QueryRowContext(ctx, `
		SELECT `+requestColumns+` FROM requests WHERE handle = $1 AND expires > $2`,
		handle, now))
}

// TakePushed implements flow.RequestStore. The DELETE decides who is first. A request that does not
// exist costs no turn of a writer.
func (db *Grants) TakePushed(
	ctx context.Context,
	handle, clientID string,
	now time.Time,
) (*oauth.Request, error) {
	if _, err := db.Request(ctx, handle, now); err != nil {
		return nil, err
	}
	return scanRequest(db.sql.Write.QueryRowContext(ctx, `
		DELETE FROM requests WHERE handle = $1 AND client_id = $2 AND browser = '' AND expires > $3
		RETURNING `+requestColumns,
		handle, clientID, now))
}

// scanRequest reads requestColumns.
func scanRequest(row sqldb.Row) (*oauth.Request, error) {
	r := &oauth.Request{}
	return found(r, row.Scan(
		&r.Handle,
		&r.Browser,
		&r.ClientID,
		&r.RedirectURI,
		&r.RedirectSent,
		&r.State,
		sqldb.List(&r.Scope),
		&r.Resource,
		&r.Challenge,
		&r.JKT,
		&r.SignedInAfter,
		&r.Expires,
	))
}

// Approve implements flow.RequestStore. The DELETE decides who is first.
func (db *Grants) Approve(ctx context.Context, handle string, g *oauth.Grant, c *oauth.Code) error {
	return db.sql.InTx(ctx, func(tx *sqldb.Tx) error {
		if err := takeRequest(ctx, tx, handle); err != nil {
			return err
		}
		if err := addGrant(ctx, tx, g); err != nil {
			return err
		}
		return sqldb.Exec(ctx, tx, `
			INSERT INTO codes (hash, grant_id, client_id, redirect_uri, challenge, jkt, expires)
			VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			c.Hash, g.ID, c.ClientID, c.RedirectURI, c.Challenge, c.JKT, c.Expires)
	})
}

// Deny implements flow.RequestStore.
func (db *Grants) Deny(ctx context.Context, handle string) error {
	return takeRequest(ctx, db.sql.Write, handle)
}

func takeRequest(ctx context.Context, q sqldb.Querier, handle string) error {
	return sqldb.MustChange(ctx, q, oauth.ErrNotFound, `
		DELETE FROM requests WHERE handle = $1`,
		handle)
}
