package store

import (
	"context"
	"errors"
	"time"

	"rialto/oauth"
)

// Identify implements oauth.AccountStore. Whoever finds the place taken, by
// another call for the same person perhaps, goes on with what is there.
func (db *DB) Identify(ctx context.Context, a *oauth.Account, rights bool) (account *oauth.Account, err error) {
	err = db.inTx(ctx, func(tx *tx) error {
		if err := addAccount(ctx, tx, a); err != nil && !errors.Is(err, oauth.ErrExists) {
			return err
		}
		account, err = scanAccount(tx.QueryRowContext(ctx, `
			UPDATE accounts SET
				admin    = CASE WHEN CAST($1 AS BIGINT) = 1 THEN $2 ELSE admin END,
				usecases = CASE WHEN CAST($1 AS BIGINT) = 1 THEN $3 ELSE usecases END
			WHERE issuer = $4 AND subject = $5 AND issuer <> ''
			RETURNING `+accountColumns, flag(rights), flag(a.Admin), a.UseCases.String(), a.Issuer, a.Subject))
		if errors.Is(err, oauth.ErrNotFound) {
			return oauth.ErrExists
		}
		return err
	})
	return account, err
}

// AddLogin implements oauth.LoginStore.
func (db *DB) AddLogin(ctx context.Context, l *oauth.Login) error {
	_, err := db.write.ExecContext(ctx, `
		INSERT INTO logins (state, browser, provider, handle, scope, next, expires) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		l.State, l.Browser, l.Provider, l.Handle, l.Scope.String(), l.Next, ms(l.Expires))
	return err
}

// Login implements oauth.LoginStore.
func (db *DB) Login(ctx context.Context, state string, now time.Time) (*oauth.Login, error) {
	l := &oauth.Login{State: state}
	var scope string
	var expires int64
	err := db.read.QueryRowContext(ctx, `
		SELECT browser, provider, handle, scope, next, expires FROM logins WHERE state = $1 AND expires > $2`, state, ms(now)).
		Scan(&l.Browser, &l.Provider, &l.Handle, &scope, &l.Next, &expires)
	if err != nil {
		return nil, found(err)
	}
	l.Scope, l.Expires = words(scope), at(expires)
	return l, nil
}

// TakeLogin implements oauth.LoginStore.
func (db *DB) TakeLogin(ctx context.Context, state string) error {
	n, err := changed(ctx, db.write, `DELETE FROM logins WHERE state = $1`, state)
	if err == nil && n == 0 {
		return oauth.ErrNotFound
	}
	return err
}
