package store

import (
	"context"
	"time"

	"rialto/oauth"
)

// AddAccount implements oauth.AccountStore.
func (db *DB) AddAccount(ctx context.Context, a *oauth.Account) error {
	n, err := changed(ctx, db.write, `
		INSERT INTO accounts (id, name, password, disabled, created)
		VALUES ($1, $2, $3, $4, $5) ON CONFLICT (name) DO NOTHING`,
		a.ID, a.Name, a.Password, flag(a.Disabled), ms(a.Created))
	if err == nil && n == 0 {
		return oauth.ErrExists
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
// refresh tokens go with it, by their foreign keys.
func (db *DB) RemoveAccount(ctx context.Context, name string) error {
	n, err := changed(ctx, db.write, `DELETE FROM accounts WHERE name = $1`, name)
	if err == nil && n == 0 {
		return oauth.ErrNotFound
	}
	return err
}

// Account implements oauth.AccountStore.
func (db *DB) Account(ctx context.Context, name string) (*oauth.Account, error) {
	a := &oauth.Account{Name: name}
	var disabled, created int64
	err := db.read.QueryRowContext(ctx, `SELECT id, password, disabled, created FROM accounts WHERE name = $1`, name).
		Scan(&a.ID, &a.Password, &disabled, &created)
	if err != nil {
		return nil, found(err)
	}
	a.Disabled, a.Created = disabled != 0, at(created)
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
	_, err := db.write.ExecContext(ctx, `INSERT INTO sessions (hash, account_id, created, expires) VALUES ($1, $2, $3, $4)`,
		s.Hash, s.AccountID, ms(s.Created), ms(s.Expires))
	return err
}

// Session implements oauth.AccountStore.
func (db *DB) Session(ctx context.Context, hash string, now time.Time) (*oauth.Session, error) {
	s := &oauth.Session{Hash: hash}
	var created, expires int64
	err := db.read.QueryRowContext(ctx, `
		SELECT s.account_id, a.name, s.created, s.expires
		FROM sessions s JOIN accounts a ON a.id = s.account_id
		WHERE s.hash = $1 AND s.expires > $2 AND a.disabled = 0`, hash, ms(now)).
		Scan(&s.AccountID, &s.Name, &created, &expires)
	if err != nil {
		return nil, found(err)
	}
	s.Created, s.Expires = at(created), at(expires)
	return s, nil
}

// EndSession implements oauth.AccountStore.
func (db *DB) EndSession(ctx context.Context, hash string) error {
	_, err := db.write.ExecContext(ctx, `DELETE FROM sessions WHERE hash = $1`, hash)
	return err
}
