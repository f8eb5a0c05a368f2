package oauthdb

import (
	"context"
	"fmt"
	"time"

	"rialto/oauth"
	"rialto/store/sqldb"
)

// Expired implements authserver.ExpiredStore, for the tables of all stores.
type Expired struct{ sql *sqldb.DB }

// Rows are deleted in batches, so that no other writer waits for long.
const (
	batch      = 500
	maxBatches = 200
)

// DropExpired implements authserver.ExpiredStore.
func (db *Expired) DropExpired(ctx context.Context, x oauth.Expiry) error {
	now := x.Now
	ended := x.Grants
	registered := x.Clients
	grace := x.Now.Add(-x.Grace)
	for _, step := range []struct {
		what, query string
		before      time.Time
	}{
		{"sessions", `DELETE FROM sessions WHERE hash IN (SELECT hash FROM sessions WHERE expires <= $1 LIMIT $2)`, now},
		{"requests", `DELETE FROM requests WHERE handle IN (SELECT handle FROM requests WHERE expires <= $1 LIMIT $2)`, now},
		{"logins", `DELETE FROM logins WHERE state IN (SELECT state FROM logins WHERE expires <= $1 LIMIT $2)`, now},
		{"documents", `DELETE FROM client_documents WHERE id IN (SELECT id FROM client_documents WHERE expires <= $1 LIMIT $2)`, now},
		{"uses", `DELETE FROM used_once WHERE hash IN (SELECT hash FROM used_once WHERE expires <= $1 LIMIT $2)`, now},
		{"refresh tokens", `DELETE FROM refresh_tokens WHERE hash IN (SELECT hash FROM refresh_tokens WHERE expires <= $1 LIMIT $2)`, now},
		{"successors", `UPDATE refresh_tokens SET successor = '' WHERE hash IN (
			SELECT hash FROM refresh_tokens WHERE successor <> '' AND used > 0 AND used <= $1 LIMIT $2)`, grace},
		{"grants that were not taken", `DELETE FROM grants WHERE id IN (
			SELECT grant_id FROM codes WHERE used = 0 AND expires <= $1 LIMIT $2)`, now},
		{"grants", `DELETE FROM grants WHERE id IN (
			SELECT id FROM grants WHERE expires <= $1 OR revoked > 0 AND revoked <= $1 LIMIT $2)`, ended},
		{"clients", `DELETE FROM clients WHERE id IN (
			SELECT id FROM clients WHERE registered <= $1
			AND NOT EXISTS (SELECT 1 FROM grants WHERE grants.client_id = clients.id)
			AND NOT EXISTS (SELECT 1 FROM requests WHERE requests.client_id = clients.id) LIMIT $2)`, registered},
		{"signing keys", `DELETE FROM signing_keys WHERE seq IN (SELECT seq FROM signing_keys WHERE expires <= $1 LIMIT $2)`, now},
	} {
		if err := db.dropAll(ctx, step.query, step.before); err != nil {
			return fmt.Errorf("dropping %s: %w", step.what, err)
		}
	}
	return nil
}

func (db *Expired) dropAll(ctx context.Context, query string, before time.Time) error {
	for range maxBatches {
		n, err := sqldb.Changed(ctx, db.sql.Write, query, before, batch)
		if err != nil || n < batch {
			return err
		}
	}
	return nil
}
