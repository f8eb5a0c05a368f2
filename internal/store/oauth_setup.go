package store

import (
	"context"
	"time"

	"rialto/oauth"
)

// OpenSetup implements oauth.SetupStore.
func (db *DB) OpenSetup(ctx context.Context, hash string, expires time.Time) error {
	n, err := changed(ctx, db.write, `
		INSERT INTO setup_code (id, hash, expires)
		SELECT 1, CAST($1 AS TEXT), CAST($2 AS BIGINT) WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE issuer = '')
		ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, expires = excluded.expires`, hash, ms(expires))
	if err == nil && n == 0 {
		return oauth.ErrExists
	}
	return err
}

// SetupOpen implements oauth.SetupStore.
func (db *DB) SetupOpen(ctx context.Context, now time.Time) (bool, error) {
	var n int64
	err := db.read.QueryRowContext(ctx, `
		SELECT COUNT(*) FROM setup_code WHERE expires > $1 AND NOT EXISTS (SELECT 1 FROM accounts WHERE issuer = '')`, ms(now)).Scan(&n)
	return n > 0, err
}

// AddFirstAccount implements oauth.SetupStore. There is one code, so that the
// DELETE decides who is first.
func (db *DB) AddFirstAccount(ctx context.Context, hash string, a *oauth.Account, now time.Time) error {
	return db.inTx(ctx, func(tx *tx) error {
		n, err := changed(ctx, tx, `
			DELETE FROM setup_code WHERE hash = $1 AND expires > $2 AND NOT EXISTS (SELECT 1 FROM accounts WHERE issuer = '')`, hash, ms(now))
		if err != nil {
			return err
		}
		if n == 0 {
			return oauth.ErrNotFound
		}
		return addAccount(ctx, tx, a)
	})
}
