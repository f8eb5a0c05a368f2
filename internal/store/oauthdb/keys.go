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
	rows, err := db.sql.Read.QueryContext(ctx, `SELECT seq, kid, private, active, expires, signed_until FROM signing_keys WHERE expires > $1 ORDER BY seq`, sqldb.Millis(now))
	return sqldb.Collect(rows, err, func(r *sql.Rows) (k oauth.SealedKey, err error) {
		var active, expires, signed int64
		err = r.Scan(&k.Seq, &k.KeyID, &k.Private, &active, &expires, &signed)
		k.Active, k.Expires, k.SignedUntil = sqldb.Time(active), sqldb.Time(expires), sqldb.Time(signed)
		return k, err
	})
}

// AddKey implements token.KeyStore.
func (db *Store) AddKey(ctx context.Context, k oauth.SealedKey, retired time.Time) error {
	return db.sql.InTx(ctx, func(tx *sqldb.Tx) error {
		n, err := sqldb.Changed(ctx, tx, insertKey, k.Seq, k.KeyID, k.Private, sqldb.Millis(k.Active), sqldb.Millis(k.Expires))
		if err != nil || n == 0 {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE signing_keys SET expires = CASE WHEN signed_until > $1 THEN signed_until ELSE $1 END
			WHERE seq < $2 AND expires > $1 AND expires > signed_until`, sqldb.Millis(retired), k.Seq)
		return err
	})
}

const insertKey = `INSERT INTO signing_keys (seq, kid, private, active, expires) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (seq) DO NOTHING`

// NoteSigned implements token.KeyStore.
func (db *Store) NoteSigned(ctx context.Context, keyID string, until time.Time) error {
	n, err := sqldb.Changed(ctx, db.sql.Write, `
		UPDATE signing_keys SET
			signed_until = CASE WHEN signed_until < $1 THEN $1 ELSE signed_until END,
			expires      = CASE WHEN expires < $1 THEN $1 ELSE expires END
		WHERE kid = $2`, sqldb.Millis(until), keyID)
	if err == nil && n == 0 {
		return oauth.ErrNotFound
	}
	return err
}

// RemoveKey implements token.KeyStore. The DELETE decides who is first.
func (db *Store) RemoveKey(ctx context.Context, keyID string, replacement *oauth.SealedKey) error {
	return db.sql.InTx(ctx, func(tx *sqldb.Tx) error {
		var last int64
		if err := tx.QueryRowContext(ctx, `SELECT COALESCE(max(seq), 0) FROM signing_keys`).Scan(&last); err != nil {
			return err
		}
		n, err := sqldb.Changed(ctx, tx, `DELETE FROM signing_keys WHERE kid = $1`, keyID)
		if err == nil && n == 0 {
			return oauth.ErrNotFound
		}
		if err != nil || replacement == nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO signing_keys (seq, kid, private, active, expires) VALUES ($1, $2, $3, $4, $5)`,
			last+1, replacement.KeyID, replacement.Private, sqldb.Millis(replacement.Active), sqldb.Millis(replacement.Expires))
		return err
	})
}
