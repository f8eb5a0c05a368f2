package oauthdb

import (
	"context"
	"time"

	"rialto/oauth"
	"rialto/store/sqldb"
)

// Accounts keeps people, and how they sign in: it implements the stores of package signin, and
// token.IdentityStore.
type Accounts struct{ sql *sqldb.DB }

// AddAccount implements signin.AccountStore.
func (db *Accounts) AddAccount(ctx context.Context, a *oauth.Account) error {
	return db.sql.InTx(ctx, func(tx *sqldb.Tx) error { return addAccount(ctx, tx, a) })
}

// addAccount records an account unless its name or its identity is taken.
func addAccount(ctx context.Context, q sqldb.Querier, a *oauth.Account) error {
	err := sqldb.MustChange(ctx, q, oauth.ErrExists, `
		INSERT INTO accounts (`+accountColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`,
		a.ID, a.Name, a.Password, a.Disabled, a.Admin, a.Created, a.Issuer, a.Subject,
		a.UseCases.String())
	if err != nil {
		return err
	}
	return addTerms(ctx, q, accountTerms, a.ID, a.Name)
}

// SetAdmin implements signin.AccountStore.
func (db *Accounts) SetAdmin(ctx context.Context, id string, admin bool) error {
	return sqldb.MustChange(ctx, db.sql.Write, oauth.ErrNotFound, `
		UPDATE accounts SET admin = $1 WHERE id = $2`,
		admin, id)
}

// SetDisabled implements signin.AccountStore.
func (db *Accounts) SetDisabled(ctx context.Context, id string, disabled bool) error {
	return sqldb.MustChange(ctx, db.sql.Write, oauth.ErrNotFound, `
		UPDATE accounts SET disabled = $1 WHERE id = $2`,
		disabled, id)
}

// SetPassword implements signin.AccountStore.
func (db *Accounts) SetPassword(ctx context.Context, id, password string, revoked time.Time) error {
	return db.sql.InTx(ctx, func(tx *sqldb.Tx) error {
		err := sqldb.MustChange(ctx, tx, oauth.ErrNotFound, `
			UPDATE accounts SET password = $1 WHERE id = $2`,
			password, id)
		if err != nil {
			return err
		}

		err = sqldb.ExecAll(ctx, tx, []any{id},
			forgetGuesses,
			`DELETE FROM sessions WHERE account_id = $1`,
			`DELETE FROM sign_in_links WHERE account_id = $1`)
		if err != nil || revoked.IsZero() {
			return err
		}
		return sqldb.Exec(ctx, tx, `
			UPDATE grants SET revoked = $1 WHERE account_id = $2 AND revoked = 0`,
			revoked, id)
	})
}

// RemoveAccount implements signin.AccountStore. Sessions, grants, codes and refresh tokens
// go with it by their foreign keys, connections and shares by statements. Codes and
// refresh tokens go first: a transaction that uses one locks its row, and then the row of
// its grant, which the foreign keys would lock first.
func (db *Accounts) RemoveAccount(ctx context.Context, name string) error {
	return db.sql.InTx(ctx, func(tx *sqldb.Tx) error {
		const ofGrants = ` WHERE grant_id IN (
			SELECT g.id FROM grants g JOIN accounts a ON a.id = g.account_id WHERE a.name = $1)`
		const own = ` IN (SELECT id FROM accounts WHERE name = $1)`
		err := sqldb.ExecAll(ctx, tx, []any{name},
			`DELETE FROM refresh_tokens`+ofGrants,
			`DELETE FROM codes`+ofGrants,
			`DELETE FROM connections WHERE owner`+own,
			`DELETE FROM connection_attempts WHERE owner`+own,
			`DELETE FROM shares WHERE owner`+own,
			`DELETE FROM guesses WHERE key`+own)
		if err != nil {
			return err
		}

		return sqldb.MustChange(ctx, tx, oauth.ErrNotFound, `
			DELETE FROM accounts WHERE name = $1`,
			name)
	})
}

// Account implements signin.AccountStore.
func (db *Accounts) Account(ctx context.Context, name string) (*oauth.Account, error) {
	return scanAccount(db.sql.Read.QueryRowContext(ctx, `
		SELECT `+accountColumns+` FROM accounts WHERE name = $1`,
		name))
}

// AccountOf implements signin.AccountStore.
func (db *Accounts) AccountOf(ctx context.Context, id string) (*oauth.Account, error) {
	return scanAccount(db.sql.Read.QueryRowContext(ctx, `
		SELECT `+accountColumns+` FROM accounts WHERE id = $1`,
		id))
}

const accountColumns = `id, name, password, disabled, admin, created, issuer, subject, usecases`

// scanAccount reads accountColumns.
func scanAccount(row sqldb.Row) (*oauth.Account, error) {
	a := &oauth.Account{}
	return found(a, row.Scan(
		&a.ID,
		&a.Name,
		&a.Password,
		&a.Disabled,
		&a.Admin,
		&a.Created,
		&a.Issuer,
		&a.Subject,
		sqldb.List(&a.UseCases),
	))
}
