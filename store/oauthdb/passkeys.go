package oauthdb

import (
	"context"
	"time"

	"rialto/oauth"
	"rialto/store/sqldb"
)

// AddPasskey implements signin.PasskeyStore.
func (db *Accounts) AddPasskey(ctx context.Context, k *oauth.Passkey) error {
	return sqldb.MustChange(ctx, db.sql.Write, oauth.ErrExists, `
		INSERT INTO passkeys (id, account_id, name, credential, sign_count, created)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO NOTHING`,
		k.ID, k.AccountID, k.Name, k.Credential, k.Count, k.Created)
}

// Passkeys implements signin.PasskeyStore.
func (db *Accounts) Passkeys(ctx context.Context, accountID string) ([]*oauth.Passkey, error) {
	return sqldb.Select(ctx, db.sql.Read, func(row sqldb.Row) (*oauth.Passkey, error) {
		k := &oauth.Passkey{AccountID: accountID}
		return k, row.Scan(&k.ID, &k.Name, &k.Credential, &k.Count, &k.Created, &k.Used)
	}, `
		SELECT id, name, credential, sign_count, created, used FROM passkeys
		WHERE account_id = $1 ORDER BY created, id`,
		accountID)
}

// UsePasskey implements signin.PasskeyStore. The condition of the UPDATE decides.
func (db *Accounts) UsePasskey(ctx context.Context, id string, count int64, now time.Time) error {
	return sqldb.MustChange(ctx, db.sql.Write, oauth.ErrNotFound, `
		UPDATE passkeys SET sign_count = $1, used = $2
		WHERE id = $3 AND (sign_count < $1 OR sign_count = 0 AND $1 = 0)`,
		count, now, id)
}

// RenamePasskey implements signin.PasskeyStore.
func (db *Accounts) RenamePasskey(ctx context.Context, accountID, id, name string) error {
	return sqldb.MustChange(ctx, db.sql.Write, oauth.ErrNotFound, `
		UPDATE passkeys SET name = $1 WHERE account_id = $2 AND id = $3`,
		name, accountID, id)
}

// RemovePasskey implements signin.PasskeyStore.
func (db *Accounts) RemovePasskey(ctx context.Context, accountID, id string) error {
	return sqldb.MustChange(ctx, db.sql.Write, oauth.ErrNotFound, `
		DELETE FROM passkeys WHERE account_id = $1 AND id = $2`,
		accountID, id)
}

// SetRecoveryCodes implements signin.PasskeyStore.
func (db *Accounts) SetRecoveryCodes(ctx context.Context, accountID string, hashes []string) error {
	return db.sql.InTx(ctx, func(tx *sqldb.Tx) error {
		err := sqldb.Exec(ctx, tx, `DELETE FROM recovery_codes WHERE account_id = $1`, accountID)
		for _, hash := range hashes {
			if err == nil {
				err = sqldb.Exec(ctx, tx, `
					INSERT INTO recovery_codes (account_id, hash) VALUES ($1, $2)`,
					accountID, hash)
			}
		}
		return err
	})
}

// RecoveryCodes implements signin.PasskeyStore.
func (db *Accounts) RecoveryCodes(ctx context.Context, accountID string) (n int, err error) {
	err = db.sql.Read.QueryRowContext(ctx, `
		SELECT COUNT(*) FROM recovery_codes WHERE account_id = $1`,
		accountID).Scan(&n)
	return n, err
}

// TakeRecoveryCode implements signin.PasskeyStore.
func (db *Accounts) TakeRecoveryCode(ctx context.Context, accountID, hash string) error {
	return sqldb.MustChange(ctx, db.sql.Write, oauth.ErrNotFound, `
		DELETE FROM recovery_codes WHERE account_id = $1 AND hash = $2`,
		accountID, hash)
}
