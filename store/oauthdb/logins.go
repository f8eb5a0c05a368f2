package oauthdb

import (
	"context"
	"errors"
	"time"

	"rialto/oauth"
	"rialto/store/sqldb"
)

// Identify implements token.IdentityStore. If the identity is there, perhaps added by a
// concurrent call, that account is updated.
func (db *Accounts) Identify(
	ctx context.Context, a *oauth.Account, rights bool,
) (account *oauth.Account, err error) {
	err = db.sql.InTx(ctx, func(tx *sqldb.Tx) error {
		if err := addAccount(ctx, tx, a); err != nil && !errors.Is(err, oauth.ErrExists) {
			return err
		}
		account, err = scanAccount(tx.QueryRowContext(ctx, `
			UPDATE accounts SET
				admin    = CASE WHEN CAST($1 AS BIGINT) = 1 THEN $2 ELSE admin END,
				usecases = CASE WHEN CAST($1 AS BIGINT) = 1 THEN $3 ELSE usecases END
			WHERE issuer = $4 AND subject = $5 AND issuer <> ''
			RETURNING `+accountColumns,
			rights, a.Admin, a.UseCases.String(), a.Issuer, a.Subject))
		if errors.Is(err, oauth.ErrNotFound) {
			return oauth.ErrExists
		}
		return err
	})
	return account, err
}

// AddLogin implements signin.LoginStore.
func (db *Accounts) AddLogin(ctx context.Context, l *oauth.Login) error {
	return sqldb.Exec(ctx, db.sql.Write, `
		INSERT INTO logins (state, browser, provider, handle, scope, next, expires)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		l.State, l.Browser, l.Provider, l.Handle, l.Scope.String(), l.Next, l.Expires)
}

// Login implements signin.LoginStore.
func (db *Accounts) Login(ctx context.Context, state string, now time.Time) (*oauth.Login, error) {
	l := &oauth.Login{State: state}
	return found(l, db.sql.Read.QueryRowContext(ctx, `
		SELECT browser, provider, handle, scope, next, expires FROM logins
		WHERE state = $1 AND expires > $2`,
		state, now).
		Scan(&l.Browser, &l.Provider, &l.Handle, sqldb.List(&l.Scope), &l.Next, &l.Expires))
}

// TakeLogin implements signin.LoginStore.
func (db *Accounts) TakeLogin(ctx context.Context, state string) error {
	return sqldb.MustChange(ctx, db.sql.Write, oauth.ErrNotFound, `
		DELETE FROM logins WHERE state = $1`,
		state)
}
