package store

import (
	"context"
	"strings"
	"time"

	"rialto/oauth"
)

// AddRequest implements oauth.RequestStore.
func (db *DB) AddRequest(ctx context.Context, r *oauth.Request) error {
	_, err := db.write.ExecContext(ctx, `
		INSERT INTO requests (`+requestColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		r.Handle, r.Browser, r.ClientID, r.RedirectURI, flag(r.RedirectSent), r.State, r.Scope.String(), r.Resource,
		r.Challenge, r.JKT, flag(r.Login), ms(r.Expires))
	return err
}

const requestColumns = `handle, browser, client_id, redirect_uri, redirect_sent, state, scope, resource, challenge, jkt, login, expires`

// Request implements oauth.RequestStore.
func (db *DB) Request(ctx context.Context, handle string, now time.Time) (*oauth.Request, error) {
	return scanRequest(db.read.QueryRowContext(ctx, `
		SELECT `+requestColumns+` FROM requests WHERE handle = $1 AND expires > $2`, handle, ms(now)))
}

// TakePushed implements oauth.RequestStore. The DELETE decides who is first.
func (db *DB) TakePushed(ctx context.Context, handle, clientID string, now time.Time) (*oauth.Request, error) {
	return scanRequest(db.write.QueryRowContext(ctx, `
		DELETE FROM requests WHERE handle = $1 AND client_id = $2 AND browser = '' AND expires > $3
		RETURNING `+requestColumns, handle, clientID, ms(now)))
}

// scanRequest reads requestColumns.
func scanRequest(row scanner) (*oauth.Request, error) {
	r := &oauth.Request{}
	var scope string
	var sent, login, expires int64
	err := row.Scan(&r.Handle, &r.Browser, &r.ClientID, &r.RedirectURI, &sent, &r.State, &scope, &r.Resource, &r.Challenge, &r.JKT, &login, &expires)
	if err != nil {
		return nil, found(err)
	}
	r.RedirectSent, r.Scope, r.Login, r.Expires = sent != 0, strings.Fields(scope), login != 0, at(expires)
	return r, nil
}

// Approve implements oauth.RequestStore. The DELETE decides who is first.
func (db *DB) Approve(ctx context.Context, handle string, g *oauth.Grant, c *oauth.Code) error {
	return db.inTx(ctx, func(tx *tx) error {
		if err := takeRequest(ctx, tx, handle); err != nil {
			return err
		}
		if err := addGrant(ctx, tx, g); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO codes (hash, grant_id, client_id, redirect_uri, challenge, jkt, expires)
			VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			c.Hash, g.ID, c.ClientID, c.RedirectURI, c.Challenge, c.JKT, ms(c.Expires))
		return err
	})
}

// Deny implements oauth.RequestStore.
func (db *DB) Deny(ctx context.Context, handle string) error {
	return takeRequest(ctx, db.write, handle)
}

func takeRequest(ctx context.Context, q querier, handle string) error {
	n, err := changed(ctx, q, `DELETE FROM requests WHERE handle = $1`, handle)
	if err == nil && n == 0 {
		return oauth.ErrNotFound
	}
	return err
}
