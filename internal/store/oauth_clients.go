package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"rialto/oauth"
)

var _ oauth.Store = (*DB)(nil)

// AddClient implements oauth.ClientStore.
func (db *DB) AddClient(ctx context.Context, c *oauth.Client, limit int) error {
	return db.inTx(ctx, func(tx *tx) error {
		if err := makeRoom(ctx, tx, limit); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			INSERT INTO clients (id, name, uri, redirect_uris, auth_method, secret_hash, grant_types, registered)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
			c.ID, c.Name, c.URI, strings.Join(c.RedirectURIs, " "), c.AuthMethod, c.SecretHash,
			strings.Join(c.GrantTypes, " "), ms(c.Registered))
		return err
	})
}

// makeRoom removes clients that nobody ever let in, until one more fits.
func makeRoom(ctx context.Context, tx *tx, limit int) error {
	var n int
	if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM clients`).Scan(&n); err != nil || n < limit {
		return err
	}
	_, err := tx.ExecContext(ctx, `
		DELETE FROM clients WHERE id IN (
			SELECT id FROM clients
			WHERE NOT EXISTS (SELECT 1 FROM grants WHERE grants.client_id = clients.id)
			ORDER BY registered, id LIMIT $1)`, n-limit+1)
	return err
}

// Client implements oauth.ClientStore.
func (db *DB) Client(ctx context.Context, id string) (*oauth.Client, error) {
	c := &oauth.Client{ID: id}
	var redirects, grants string
	var registered int64
	err := db.read.QueryRowContext(ctx, `
		SELECT name, uri, redirect_uris, auth_method, secret_hash, grant_types, registered
		FROM clients WHERE id = $1`, id).
		Scan(&c.Name, &c.URI, &redirects, &c.AuthMethod, &c.SecretHash, &grants, &registered)
	if err != nil {
		return nil, found(err)
	}
	c.RedirectURIs, c.GrantTypes, c.Registered = strings.Fields(redirects), strings.Fields(grants), at(registered)
	return c, nil
}

// found turns "no rows" into what the contracts of oauth call it.
func found(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return oauth.ErrNotFound
	}
	return err
}
