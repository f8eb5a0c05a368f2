package oauthdb

import (
	"context"
	"time"

	"rialto/oauth"
	"rialto/store/sqldb"
)

// AddLink implements signin.LinkStore.
func (db *Accounts) AddLink(ctx context.Context, hash, accountID string, expires time.Time) error {
	return sqldb.Exec(ctx, db.sql.Write, `
		INSERT INTO sign_in_links (hash, account_id, expires) VALUES ($1, $2, $3)
		ON CONFLICT (account_id) DO UPDATE SET hash = excluded.hash, expires = excluded.expires`,
		hash, accountID, expires)
}

// LinkedAccount implements signin.LinkStore.
func (db *Accounts) LinkedAccount(
	ctx context.Context, hash string, now time.Time,
) (*oauth.Account, error) {
	return scanAccount(db.sql.Read.QueryRowContext(ctx, `
		SELECT `+accountColumns+` FROM accounts WHERE disabled = 0 AND id = (
			SELECT account_id FROM sign_in_links WHERE hash = $1 AND expires > $2)`, hash, now))
}

// TakeLink implements signin.LinkStore.
func (db *Accounts) TakeLink(ctx context.Context, hash string) error {
	return sqldb.MustChange(
		ctx,
		db.sql.Write,
		oauth.ErrNotFound,
		`DELETE FROM sign_in_links WHERE hash = $1`,
		hash,
	)
}
