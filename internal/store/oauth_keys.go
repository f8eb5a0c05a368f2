package store

import (
	"context"
	"time"

	"rialto/oauth"
)

// Keys implements oauth.KeyStore.
func (db *DB) Keys(ctx context.Context, now time.Time) ([]oauth.SealedKey, error) {
	rows, err := db.read.QueryContext(ctx, `SELECT seq, kid, private, active, expires FROM signing_keys WHERE expires > $1 ORDER BY seq`, ms(now))
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
		k.Active, k.Expires = at(active), at(expires)
		keys = append(keys, k)
	}
	return keys, rows.Err()
}

// AddKey implements oauth.KeyStore.
func (db *DB) AddKey(ctx context.Context, k oauth.SealedKey) error {
	_, err := db.write.ExecContext(ctx, `
		INSERT INTO signing_keys (seq, kid, private, active, expires)
		VALUES ($1, $2, $3, $4, $5) ON CONFLICT (seq) DO NOTHING`,
		k.Seq, k.KeyID, k.Private, ms(k.Active), ms(k.Expires))
	return err
}
