package oauthdb

import (
	"context"
	"time"

	"rialto/oauth"
	"rialto/store/sqldb"
)

// Keys implements token.KeyStore.
type Keys struct{ sql *sqldb.DB }

// Keys implements token.KeyStore.
func (db *Keys) Keys(ctx context.Context, now time.Time) ([]oauth.SealedKey, error) {
	return sqldb.Select(ctx, db.sql.Read, scanKey, `
		SELECT seq, kid, private, active, expires, signed_until FROM signing_keys
		WHERE expires > $1 ORDER BY seq`,
		now)
}

func scanKey(r sqldb.Row) (k oauth.SealedKey, err error) {
	err = r.Scan(&k.Seq, &k.KeyID, &k.Private, &k.Active, &k.Expires, &k.SignedUntil)
	return k, err
}

// AddKey implements token.KeyStore.
func (db *Keys) AddKey(ctx context.Context, k oauth.SealedKey, retired time.Time) error {
	return db.sql.InTx(ctx, func(tx *sqldb.Tx) error {
		n, err := sqldb.Changed(ctx, tx, insertKey+` ON CONFLICT (seq) DO NOTHING`,
			k.Seq, k.KeyID, k.Private, k.Active, k.Expires)
		if err != nil || n == 0 {
			return err
		}
		return sqldb.Exec(ctx, tx, `
			UPDATE signing_keys
			SET expires = CASE WHEN signed_until > $1 THEN signed_until ELSE $1 END
			WHERE seq < $2 AND expires > $1 AND expires > signed_until`,
			retired, k.Seq)
	})
}

const insertKey = `
	INSERT INTO signing_keys (seq, kid, private, active, expires) VALUES ($1, $2, $3, $4, $5)`

// NoteSigned implements token.KeyStore.
func (db *Keys) NoteSigned(ctx context.Context, keyID string, until time.Time) error {
	return sqldb.MustChange(ctx, db.sql.Write, oauth.ErrNotFound, `
		UPDATE signing_keys SET
			signed_until = CASE WHEN signed_until < $1 THEN $1 ELSE signed_until END,
			expires      = CASE WHEN expires < $1 THEN $1 ELSE expires END
		WHERE kid = $2`,
		until, keyID)
}

// RemoveKey implements token.KeyStore. The DELETE decides who is first.
func (db *Keys) RemoveKey(ctx context.Context, keyID string, replacement *oauth.SealedKey) error {
	return db.sql.InTx(ctx, func(tx *sqldb.Tx) error {
		var last int64
		err := tx.QueryRowContext(ctx, `
			SELECT COALESCE(max(seq), 0) FROM signing_keys`).Scan(&last)
		if err != nil {
			return err
		}
		err = sqldb.MustChange(ctx, tx, oauth.ErrNotFound, `
			DELETE FROM signing_keys WHERE kid = $1`,
			keyID)
		if err != nil || replacement == nil {
			return err
		}
		return sqldb.Exec(ctx, tx, insertKey,
			last+1, replacement.KeyID, replacement.Private, replacement.Active,
			replacement.Expires)
	})
}
