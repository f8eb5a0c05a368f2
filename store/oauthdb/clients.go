package oauthdb

import (
	"context"
	"strings"
	"time"

	"rialto/oauth"
	"rialto/store/sqldb"
)

// Clients keeps clients that registered, and the documents of others: it implements the stores
// of package client.
type Clients struct{ sql *sqldb.DB }

// AddClient implements client.Store.
func (db *Clients) AddClient(ctx context.Context, c *oauth.Client, limit int) error {
	return db.sql.InTx(ctx, func(tx *sqldb.Tx) error {
		if err := db.evict(ctx, tx, limit); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO clients (`+clientColumns+`)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
			c.ID, c.Name, c.URI, strings.Join(c.RedirectURIs, " "), c.AuthMethod, c.SecretHash,
			strings.Join(c.GrantTypes, " "), c.Registered, c.ManageHash, c.Keys, c.KeysURI,
			c.Bound, c.ApplicationType)
		if err != nil {
			return err
		}
		return addTerms(ctx, tx, clientTerms, c.ID, c.Name)
	})
}

// evict removes clients without grants, until one more fits. It leaves those that another transaction
// removes: registrations that wait for each other's rows come to a deadlock.
func (db *Clients) evict(ctx context.Context, tx *sqldb.Tx, limit int) error {
	var n int
	err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM clients`).Scan(&n)
	if err != nil || n < limit {
		return err
	}

	return sqldb.Exec(ctx, tx, `
		DELETE FROM clients WHERE id `+db.sql.InUnlocked(`
			SELECT id FROM clients
			WHERE NOT EXISTS (SELECT 1 FROM grants WHERE grants.client_id = clients.id)
			ORDER BY registered, id LIMIT $1`),
		n-limit+1)
}

// UpdateClient implements client.Store.
func (db *Clients) UpdateClient(ctx context.Context, c *oauth.Client, manageHash string) error {
	return db.sql.InTx(ctx, func(tx *sqldb.Tx) error {
		err := sqldb.MustChange(ctx, tx, oauth.ErrNotFound, `
			UPDATE clients SET
				name = $1, uri = $2, redirect_uris = $3, auth_method = $4, secret_hash = $5,
				grant_types = $6, manage_hash = $7, keys = $8, keys_uri = $9, dpop_bound = $10,
				application_type = $11
			WHERE id = $12 AND manage_hash = $13`,
			c.Name, c.URI, strings.Join(c.RedirectURIs, " "), c.AuthMethod, c.SecretHash,
			strings.Join(c.GrantTypes, " "), c.ManageHash, c.Keys, c.KeysURI, c.Bound,
			c.ApplicationType, c.ID, manageHash)
		if err != nil {
			return err
		}
		return setTerms(ctx, tx, clientTerms, c.ID, c.Name)
	})
}

// RemoveClient implements client.Store.
func (db *Clients) RemoveClient(ctx context.Context, id string, now time.Time) error {
	return db.sql.InTx(ctx, func(tx *sqldb.Tx) error {
		err := sqldb.MustChange(ctx, tx, oauth.ErrNotFound, `DELETE FROM clients WHERE id = $1`, id)
		if err != nil {
			return err
		}
		return sqldb.Exec(ctx, tx, `
			UPDATE grants SET revoked = $1 WHERE client_id = $2 AND revoked = 0`,
			now, id)
	})
}

const clientColumns = `id, name, uri, redirect_uris, auth_method, secret_hash, grant_types, registered,
	manage_hash, keys, keys_uri, dpop_bound, application_type`

// Client implements client.Store.
func (db *Clients) Client(ctx context.Context, id string) (*oauth.Client, error) {
	return scanClient(db.sql.Read.QueryRowContext(ctx, `
		SELECT `+clientColumns+` FROM clients WHERE id = $1`,
		id))
}

// Clients implements client.Store.
func (db *Clients) Clients(ctx context.Context, after string, limit int) ([]*oauth.Client, error) {
	return sqldb.Select(ctx, db.sql.Read, scanClient, `
		SELECT `+clientColumns+` FROM clients WHERE id > $1 ORDER BY id LIMIT $2`,
		after, limit)
}

// scanClient reads clientColumns.
func scanClient(row sqldb.Row) (*oauth.Client, error) {
	c := &oauth.Client{}
	var redirects, grants string
	err := row.Scan(
		&c.ID,
		&c.Name,
		&c.URI,
		&redirects,
		&c.AuthMethod,
		&c.SecretHash,
		&grants,
		&c.Registered,
		&c.ManageHash,
		&c.Keys,
		&c.KeysURI,
		&c.Bound,
		&c.ApplicationType,
	)
	if err != nil {
		return nil, orNotFound(err)
	}

	c.RedirectURIs, c.GrantTypes = strings.Fields(redirects), strings.Fields(grants)
	return c, nil
}

// orNotFound turns "no rows" into what the contracts of oauth call it.
func orNotFound(err error) error {
	return sqldb.NoRow(err, oauth.ErrNotFound)
}

// found returns v, or ErrNotFound if its row was not there.
func found[T any](v *T, err error) (*T, error) {
	if err != nil {
		return nil, orNotFound(err)
	}
	return v, nil
}
