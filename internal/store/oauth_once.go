package store

import (
	"context"
	"time"

	"rialto/oauth"
)

// UseOnce implements oauth.OnceStore. The primary key decides who is first.
func (db *DB) UseOnce(ctx context.Context, hash string, expires time.Time) error {
	n, err := changed(ctx, db.write, `INSERT INTO used_once (hash, expires) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING`, hash, ms(expires))
	if err == nil && n == 0 {
		return oauth.ErrReused
	}
	return err
}
