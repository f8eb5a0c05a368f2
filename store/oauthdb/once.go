package oauthdb

import (
	"context"
	"time"

	"rialto/oauth"
	"rialto/store/sqldb"
)

// Once implements token.OnceStore.
type Once struct{ sql *sqldb.DB }

// UseOnce implements token.OnceStore. The primary key decides who is first.
func (db *Once) UseOnce(ctx context.Context, hash string, expires time.Time) error {
	return sqldb.MustChange(ctx, db.sql.Write, oauth.ErrReused, `
		INSERT INTO used_once (hash, expires) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING`,
		hash, expires)
}
