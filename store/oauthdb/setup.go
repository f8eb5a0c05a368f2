package oauthdb

import (
	"context"
	"time"

	"rialto/oauth"
	"rialto/store/sqldb"
)

const noLocalAccount = `NOT EXISTS (SELECT 1 FROM accounts WHERE issuer = '')`

// OpenSetup implements signin.SetupStore.
func (db *Accounts) OpenSetup(ctx context.Context, hash string, expires time.Time) error {
	return sqldb.MustChange(ctx, db.sql.Write, oauth.ErrExists, `
		INSERT INTO setup_code (id, hash, expires)
		SELECT 1, CAST($1 AS TEXT), CAST($2 AS BIGINT) WHERE `+noLocalAccount+`
		ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, expires = excluded.expires`,
		hash, expires)
}

// SetupOpen implements signin.SetupStore.
func (db *Accounts) SetupOpen(ctx context.Context, now time.Time) (bool, error) {
	var n int64
	err := db.sql.Read.QueryRowContext(ctx, `
		SELECT COUNT(*) FROM setup_code WHERE expires > $1 AND `+noLocalAccount,
		now).Scan(&n)
	return n > 0, err
}

// AddFirstAccount implements signin.SetupStore. There is one code, so that the
// DELETE decides who is first.
func (db *Accounts) AddFirstAccount(
	ctx context.Context,
	hash string,
	a *oauth.Account,
	now time.Time,
) error {
	return db.sql.InTx(ctx, func(tx *sqldb.Tx) error {
		err := sqldb.MustChange(ctx, tx, oauth.ErrNotFound, `
			DELETE FROM setup_code WHERE hash = $1 AND expires > $2 AND `+noLocalAccount,
			hash, now)
		if err != nil {
			return err
		}
		return addAccount(ctx, tx, a)
	})
}
