package oauthdb

import (
	"context"
	"database/sql"
	"time"

	"rialto/internal/store/sqldb"
	"rialto/oauth"
)

// Keys implements token.KeyStore.
func (db *Store) Keys(ctx context.Context, now time.Time) ([]oauth.SealedKey, error) {
	rows, err := db.sql.Read.QueryContext(ctx, `SELECT seq, kid, private, active, expires FROM signing_keys WHERE expires > $1 ORDER BY seq`, sqldb.Millis(now))
	return sqldb.Collect(rows, err, func(r *sql.Rows) (k oauth.SealedKey, err error) {
		var active, expires int64
		err = r.Scan(&k.Seq, &k.KeyID, &k.Private, &active, &expires)
		k.Active, k.Expires = sqldb.Time(active), sqldb.Time(expires)
		return k, err
	})
}

// AddKey implements token.KeyStore.
func (db *Store) AddKey(ctx context.Context, k oauth.SealedKey) error {
	_, err := db.sql.Write.ExecContext(ctx, `
		INSERT INTO signing_keys (seq, kid, private, active, expires)
		VALUES ($1, $2, $3, $4, $5) ON CONFLICT (seq) DO NOTHING`,
		k.Seq, k.KeyID, k.Private, sqldb.Millis(k.Active), sqldb.Millis(k.Expires))
	return err
}
