package oauthdb

import (
	"context"
	"time"

	"rialto/oauth"

	"rialto/internal/store/sqldb"
)

// Keys implements oauth.KeyStore.
func (db *Store) Keys(ctx context.Context, now time.Time) ([]oauth.SealedKey, error) {
	rows, err := db.sql.Read.QueryContext(ctx, `SELECT seq, kid, private, active, expires FROM signing_keys WHERE expires > $1 ORDER BY seq`, sqldb.Millis(now))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var keys []oauth.SealedKey
	for rows.Next() {
		var k oauth.SealedKey
		var active, expires int64
		if err := rows.Scan(&k.Seq, &k.KeyID, &k.Private, &active, &expires); err != nil {
			return nil, err
		}
		k.Active, k.Expires = sqldb.Time(active), sqldb.Time(expires)
		keys = append(keys, k)
	}
	return keys, rows.Err()
}

// AddKey implements oauth.KeyStore.
func (db *Store) AddKey(ctx context.Context, k oauth.SealedKey) error {
	_, err := db.sql.Write.ExecContext(ctx, `
		INSERT INTO signing_keys (seq, kid, private, active, expires)
		VALUES ($1, $2, $3, $4, $5) ON CONFLICT (seq) DO NOTHING`,
		k.Seq, k.KeyID, k.Private, sqldb.Millis(k.Active), sqldb.Millis(k.Expires))
	return err
}
