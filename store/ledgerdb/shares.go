package ledgerdb

import (
	"context"
	"database/sql"
	"math"
	"time"

	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/store/sqldb"
)

// Shares implements documents.ShareStore: the links that share results of tasks.
type Shares struct{ tasks *Store }

var _ documents.ShareStore = Shares{}

// Shares returns the links to results of the tasks in the store.
func (db *Store) Shares() Shares { return Shares{db} }

// AddShare implements documents.ShareStore.
func (l Shares) AddShare(ctx context.Context, s *documents.Share, hash string, most int) error {
	return sqldb.MustChange(ctx, l.tasks.sql.Write, documents.ErrTooManyShares, `
		INSERT INTO shares (hash, id, owner, document, title, handle, content, created, expires)
		SELECT $1, $2, $3, $4, $5, $6, $7, CAST($8 AS BIGINT), CAST($9 AS BIGINT)
		WHERE (SELECT count(*) FROM shares WHERE owner = $3 AND expires > CAST($8 AS BIGINT)) < $10`,
		hash, s.ID, s.Owner, s.Document, s.Title, s.Handle,
		sql.NullString{String: string(s.Content), Valid: s.Content != nil}, s.Created, s.Expires,
		most)
}

// Share implements documents.ShareStore.
func (l Shares) Share(ctx context.Context, hash string, now time.Time) (*documents.Share, error) {
	var s documents.Share
	var content sql.NullString
	err := l.tasks.sql.Read.QueryRowContext(ctx, `
		SELECT id, owner, document, title, handle, content, created, expires FROM shares
		WHERE hash = $1 AND expires > $2`,
		hash, now).
		Scan(&s.ID, &s.Owner, &s.Document, &s.Title, &s.Handle, &content, &s.Created, &s.Expires)
	if err != nil {
		return nil, sqldb.NoRow(err, documents.ErrNoShare)
	}
	if content.Valid {
		s.Content = []byte(content.String)
	}

	return &s, nil
}

// Shares implements documents.ShareStore.
func (l Shares) Shares(
	ctx context.Context,
	owner string,
	now time.Time,
	after ledger.Mark,
	limit int,
) ([]documents.Share, error) {
	if err := l.tasks.flush(ctx); err != nil {
		return nil, err
	}

	from := int64(math.MaxInt64)
	if after.Handle != "" {
		from = after.Created.UnixMilli()
	}

	return sqldb.Select(ctx, l.tasks.sql.Read, scanShare, `
		SELECT id, owner, document, title, handle,
			COALESCE((SELECT agent FROM tasks WHERE tasks.handle = shares.handle), ''),
			created, expires, views, viewed
		FROM shares
		WHERE owner = $1 AND expires > $2 AND (created, id) < ($3, $4)
		ORDER BY created DESC, id DESC LIMIT $5`,
		owner, now, from, after.Handle, limit)
}

func scanShare(r sqldb.Row) (s documents.Share, err error) {
	err = r.Scan(
		&s.ID,
		&s.Owner,
		&s.Document,
		&s.Title,
		&s.Handle,
		&s.Agent,
		&s.Created,
		&s.Expires,
		&s.Views,
		&s.Viewed,
	)
	return s, err
}

// CountView implements documents.ShareStore.
func (l Shares) CountView(ctx context.Context, hash, reader string, now time.Time) error {
	return sqldb.Exec(ctx, l.tasks.sql.Write, `
		UPDATE shares SET views = views + 1, viewed = $1 WHERE hash = $2 AND owner <> $3`,
		now, hash, reader)
}

// EndShare implements documents.ShareStore.
func (l Shares) EndShare(ctx context.Context, owner, id string) error {
	return sqldb.MustChange(ctx, l.tasks.sql.Write, documents.ErrNoShare, `
		DELETE FROM shares WHERE owner = $1 AND id = $2`,
		owner, id)
}

// DropShares implements documents.ShareStore.
func (l Shares) DropShares(ctx context.Context, before time.Time, limit int) (int, error) {
	n, err := sqldb.Changed(ctx, l.tasks.sql.Write, `
		DELETE FROM shares WHERE hash IN (
			SELECT hash FROM shares WHERE expires <= $1 ORDER BY expires, hash LIMIT $2)`,
		before, limit)
	return int(n), err
}
