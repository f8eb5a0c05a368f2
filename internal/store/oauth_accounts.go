package store

import (
	"context"
	"time"

	"rialto/oauth"
)

// AddAccount implements oauth.AccountStore.
func (db *DB) AddAccount(ctx context.Context, a *oauth.Account) error {
	return db.inTx(ctx, func(tx *tx) error { return addAccount(ctx, tx, a) })
}

// addAccount records an account unless its name or its identity is taken.
func addAccount(ctx context.Context, q querier, a *oauth.Account) error {
	n, err := changed(ctx, q, `
		INSERT INTO accounts (id, name, password, disabled, admin, created, issuer, subject, usecases)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`,
		a.ID, a.Name, a.Password, flag(a.Disabled), flag(a.Admin), ms(a.Created), a.Issuer, a.Subject, a.UseCases.String())
	switch {
	case err != nil:
		return err
	case n == 0:
		return oauth.ErrExists
	}
	return addTerms(ctx, q, accountTerms, a.ID, termsOf(accountTerms, a.ID, a.Name))
}

// SetAdmin implements oauth.AccountStore.
func (db *DB) SetAdmin(ctx context.Context, id string, admin bool) error {
	n, err := changed(ctx, db.write, `UPDATE accounts SET admin = $1 WHERE id = $2`, flag(admin), id)
	if err == nil && n == 0 {
		return oauth.ErrNotFound
	}
	return err
}

// SetDisabled implements oauth.AccountStore.
func (db *DB) SetDisabled(ctx context.Context, id string, disabled bool) error {
	n, err := changed(ctx, db.write, `UPDATE accounts SET disabled = $1 WHERE id = $2`, flag(disabled), id)
	if err == nil && n == 0 {
		return oauth.ErrNotFound
	}
	return err
}

// SetPassword implements oauth.AccountStore.
func (db *DB) SetPassword(ctx context.Context, id, password string) error {
	return db.inTx(ctx, func(tx *tx) error {
		n, err := changed(ctx, tx, `UPDATE accounts SET password = $1 WHERE id = $2`, password, id)
		if err != nil {
			return err
		}
		if n == 0 {
			return oauth.ErrNotFound
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM sessions WHERE account_id = $1`, id)
		return err
	})
}

// RemoveAccount implements oauth.AccountStore. Sessions, grants, codes and
// refresh tokens go with it, by their foreign keys; so does what the account has
// connected and shares. Codes and refresh tokens go
// first: whoever is using one holds its row, and wants the row of its grant
// next, which the foreign keys would take before.
func (db *DB) RemoveAccount(ctx context.Context, name string) error {
	return db.inTx(ctx, func(tx *tx) error {
		for _, table := range []string{"refresh_tokens", "codes"} {
			_, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE grant_id IN (
				SELECT g.id FROM grants g JOIN accounts a ON a.id = g.account_id WHERE a.name = $1)`, name)
			if err != nil {
				return err
			}
		}
		for _, table := range []string{"connections", "connection_attempts", "shares"} {
			_, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE owner IN (SELECT id FROM accounts WHERE name = $1)`, name)
			if err != nil {
				return err
			}
		}
		n, err := changed(ctx, tx, `DELETE FROM accounts WHERE name = $1`, name)
		if err == nil && n == 0 {
			return oauth.ErrNotFound
		}
		return err
	})
}

// Account implements oauth.AccountStore.
func (db *DB) Account(ctx context.Context, name string) (*oauth.Account, error) {
	return scanAccount(db.read.QueryRowContext(ctx, `SELECT `+accountColumns+` FROM accounts WHERE name = $1`, name))
}

// AccountOf implements oauth.AccountStore.
func (db *DB) AccountOf(ctx context.Context, id string) (*oauth.Account, error) {
	return scanAccount(db.read.QueryRowContext(ctx, `SELECT `+accountColumns+` FROM accounts WHERE id = $1`, id))
}

const accountColumns = `id, name, password, disabled, admin, created, issuer, subject, usecases`

// scanAccount reads accountColumns.
func scanAccount(row scanner) (*oauth.Account, error) {
	a := &oauth.Account{}
	var disabled, admin, created int64
	var useCases string
	err := row.Scan(&a.ID, &a.Name, &a.Password, &disabled, &admin, &created, &a.Issuer, &a.Subject, &useCases)
	if err != nil {
		return nil, found(err)
	}
	a.Disabled, a.Admin, a.Created, a.UseCases = disabled != 0, admin != 0, at(created), words(useCases)
	return a, nil
}

// Accounts implements oauth.AccountStore.
func (db *DB) Accounts(ctx context.Context) ([]string, error) {
	rows, err := db.read.QueryContext(ctx, `SELECT name FROM accounts ORDER BY name`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

// AddSession implements oauth.AccountStore.
func (db *DB) AddSession(ctx context.Context, s *oauth.Session) error {
	_, err := db.write.ExecContext(ctx, `
		INSERT INTO sessions (hash, account_id, created, expires, grants_until) VALUES ($1, $2, $3, $4, $5)`,
		s.Hash, s.AccountID, ms(s.Created), ms(s.Expires), ms(s.GrantsUntil))
	return err
}

// Session implements oauth.AccountStore.
func (db *DB) Session(ctx context.Context, hash string, now time.Time) (*oauth.Session, error) {
	s := &oauth.Session{Hash: hash}
	var admin, created, expires, until int64
	var useCases string
	err := db.read.QueryRowContext(ctx, `
		SELECT s.account_id, a.name, a.admin, a.usecases, s.created, s.expires, s.grants_until
		FROM sessions s JOIN accounts a ON a.id = s.account_id
		WHERE s.hash = $1 AND s.expires > $2 AND a.disabled = 0`, hash, ms(now)).
		Scan(&s.AccountID, &s.Name, &admin, &useCases, &created, &expires, &until)
	if err != nil {
		return nil, found(err)
	}
	s.Admin, s.UseCases, s.Created, s.Expires, s.GrantsUntil = admin != 0, words(useCases), at(created), at(expires), at(until)
	return s, nil
}

// EndSession implements oauth.AccountStore.
func (db *DB) EndSession(ctx context.Context, hash string) error {
	_, err := db.write.ExecContext(ctx, `DELETE FROM sessions WHERE hash = $1`, hash)
	return err
}
