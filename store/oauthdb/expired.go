package oauthdb

import (
	"context"
	"fmt"
	"time"

	"rialto/oauth"
	"rialto/store/sqldb"
)

// Rows are deleted in batches, so that no other writer waits for long.
const (
	batch      = 500
	maxBatches = 200
)

// Expired implements authserver.ExpiredStore, for the tables of all stores.
type Expired struct{ sql *sqldb.DB }

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
		{"sessions", dropping("sessions", "hash", `expires <= $1`), now},
		{"requests", dropping("requests", "handle", `expires <= $1`), now},
		{"logins", dropping("logins", "state", `expires <= $1`), now},
		{"sign-in links", dropping("sign_in_links", "hash", `expires <= $1`), now},
		{"documents", dropping("client_documents", "id", `expires <= $1`), now},
		{"guesses for unknown names", dropUnknownGuesses, now},
		{"uses", dropping("used_once", "hash", `expires <= $1`), now},
		{"refresh tokens", dropping("refresh_tokens", "hash", `expires <= $1`), now},
		{"successors", dropSuccessors, grace},
		{"grants that were not taken", dropUntaken, now},
		{"grants", dropping("grants", "id", `(expires <= $1 OR revoked > 0 AND revoked <= $1)`), ended},
		{"clients", dropping("clients", "id", unusedClient), registered},
		{"signing keys", dropping("signing_keys", "seq", `expires <= $1`), now},
	} {
		if err := db.dropAll(ctx, step.query, step.before); err != nil {
			return fmt.Errorf("dropping %s: %w", step.what, err)
		}
	}

	return nil
}

// dropping returns the statement that deletes some of the rows of a table that a condition chooses.
func dropping(table, key, condition string) string {
	return `DELETE FROM ` + table + ` WHERE ` + key + ` IN (
		SELECT ` + key + ` FROM ` + table + ` WHERE ` + condition + ` LIMIT $2)`
}

const (
	dropSuccessors = `
		UPDATE refresh_tokens SET successor = '' WHERE hash IN (
			SELECT hash FROM refresh_tokens
			WHERE successor <> '' AND used > 0 AND used <= $1 LIMIT $2)`
	dropUntaken = `
		DELETE FROM grants WHERE id IN (
			SELECT grant_id FROM codes WHERE used = 0 AND expires <= $1 LIMIT $2)`
	dropUnknownGuesses = `
		DELETE FROM guesses WHERE key IN (
			SELECT key FROM guesses WHERE unknown = 1 AND at <= $1
			ORDER BY at DESC LIMIT $2 OFFSET 10000)`
	unusedClient = `registered <= $1
		AND NOT EXISTS (SELECT 1 FROM grants WHERE grants.client_id = clients.id)
		AND NOT EXISTS (SELECT 1 FROM requests WHERE requests.client_id = clients.id)`
)

func (db *Expired) dropAll(ctx context.Context, query string, before time.Time) error {
	for range maxBatches {
		n, err := sqldb.Changed(ctx, db.sql.Write, query, before, batch)
		if err != nil || n < batch {
			return err
		}
	}
	return nil
}
