package ledgerdb

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"time"

	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/internal/store/sqldb"
)

var _ documents.ShareStore = (*Store)(nil)

// AddShare implements documents.ShareStore.
func (db *Store) AddShare(ctx context.Context, s *documents.Share, hash string, most int) error {
	n, err := sqldb.Changed(ctx, db.sql.Write, `
		INSERT INTO shares (hash, id, owner, document, title, handle, content, created, expires)
		SELECT $1, $2, $3, $4, $5, $6, $7, CAST($8 AS BIGINT), CAST($9 AS BIGINT)
		WHERE (SELECT count(*) FROM shares WHERE owner = $3 AND expires > CAST($8 AS BIGINT)) < $10`,
		hash, s.ID, s.Owner, s.Document, s.Title, s.Handle, sql.NullString{String: string(s.Content), Valid: s.Content != nil},
		sqldb.Millis(s.Created), sqldb.Millis(s.Expires), most)
	if err == nil && n == 0 {
		return documents.ErrTooManyShares
	}
	return err
}

// Share implements documents.ShareStore.
func (db *Store) Share(ctx context.Context, hash string, now time.Time) (*documents.Share, error) {
	var s documents.Share
	var content sql.NullString
	var created, expires int64
	err := db.sql.Read.QueryRowContext(ctx, `
		SELECT id, owner, document, title, handle, content, created, expires FROM shares
		WHERE hash = $1 AND expires > $2`, hash, sqldb.Millis(now)).
		Scan(&s.ID, &s.Owner, &s.Document, &s.Title, &s.Handle, &content, &created, &expires)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, documents.ErrNoShare
	}
	if content.Valid {
		s.Content = []byte(content.String)
	}
	s.Created, s.Expires = sqldb.Time(created), sqldb.Time(expires)
	return &s, err
}

// Shares implements documents.ShareStore.
func (db *Store) Shares(ctx context.Context, owner string, now time.Time, after ledger.Mark, limit int) ([]documents.Share, error) {
	if err := db.flush(ctx); err != nil {
		return nil, err
	}
	from := int64(math.MaxInt64)
	if after.Handle != "" {
		from = after.Created.UnixMilli()
	}
	rows, err := db.sql.Read.QueryContext(ctx, `
		SELECT id, owner, document, title, handle, COALESCE((SELECT agent FROM tasks WHERE tasks.handle = shares.handle), ''), created, expires FROM shares
		WHERE owner = $1 AND expires > $2 AND (created, id) < ($3, $4)
		ORDER BY created DESC, id DESC LIMIT $5`, owner, sqldb.Millis(now), from, after.Handle, limit)
	return sqldb.Collect(rows, err, func(r *sql.Rows) (s documents.Share, err error) {
		var created, expires int64
		err = r.Scan(&s.ID, &s.Owner, &s.Document, &s.Title, &s.Handle, &s.Agent, &created, &expires)
		s.Created, s.Expires = sqldb.Time(created), sqldb.Time(expires)
		return s, err
	})
}

// EndShare implements documents.ShareStore.
func (db *Store) EndShare(ctx context.Context, owner, id string) error {
	n, err := sqldb.Changed(ctx, db.sql.Write, `DELETE FROM shares WHERE owner = $1 AND id = $2`, owner, id)
	if err == nil && n == 0 {
		return documents.ErrNoShare
	}
	return err
}

// DropShares implements documents.ShareStore.
func (db *Store) DropShares(ctx context.Context, before time.Time, limit int) (int, error) {
	n, err := sqldb.Changed(ctx, db.sql.Write, `
		DELETE FROM shares WHERE hash IN (SELECT hash FROM shares WHERE expires <= $1 ORDER BY expires, hash LIMIT $2)`, sqldb.Millis(before), limit)
	return int(n), err
}
