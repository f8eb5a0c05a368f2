package oauthdb

import (
	"context"
	"time"

	"rialto/store/sqldb"
)

// CountGuess implements signin.GuessStore. The condition of the UPDATE decides.
func (db *Accounts) CountGuess(
	ctx context.Context,
	key string,
	unknown bool,
	limit int,
	now time.Time,
) (bool, error) {
	n, err := sqldb.Changed(ctx, db.sql.Write, `
		INSERT INTO guesses (key, unknown, n, at) VALUES ($1, $2, 1, $3)
		ON CONFLICT (key) DO UPDATE
		SET n = CASE WHEN guesses.n < $4 THEN guesses.n + 1 ELSE guesses.n END, at = excluded.at
		WHERE guesses.n < $4 OR guesses.at <= $5`, key, unknown, now, limit, now.Add(-time.Hour))
	return n > 0, err
}

const forgetGuesses = `DELETE FROM guesses WHERE key = $1`

// ForgetGuesses implements signin.AccountStore.
func (db *Accounts) ForgetGuesses(ctx context.Context, id string) error {
	return sqldb.Exec(ctx, db.sql.Write, forgetGuesses, id)
}

// maxNetworks is how many networks of an account are kept.
const maxNetworks = 10

// SignedIn implements signin.GuessStore.
func (db *Accounts) SignedIn(ctx context.Context, id, network string, now time.Time) error {
	return db.sql.InTx(ctx, func(tx *sqldb.Tx) error {
		err := sqldb.Exec(ctx, tx, forgetGuesses, id)
		if err == nil {
			err = sqldb.Exec(ctx, tx, `
				INSERT INTO account_networks (account_id, network, at) VALUES ($1, $2, $3)
				ON CONFLICT (account_id, network) DO UPDATE SET at = excluded.at`, id, network, now)
		}
		if err == nil {
			err = sqldb.Exec(ctx, tx, `
				DELETE FROM account_networks WHERE account_id = $1 AND network NOT IN (
					SELECT network FROM account_networks WHERE account_id = $1
					ORDER BY at DESC, network LIMIT $2)`, id, maxNetworks)
		}
		return err
	})
}

// KnowsNetwork implements signin.GuessStore.
func (db *Accounts) KnowsNetwork(ctx context.Context, id, network string) (bool, error) {
	var n int64
	err := db.sql.Read.QueryRowContext(ctx, `
		SELECT COUNT(*) FROM account_networks WHERE account_id = $1 AND network = $2`, id, network).
		Scan(&n)
	return n > 0, err
}
