package ledgerdb

import (
	"context"
	"time"

	"rialto/bridge/ledger"
	"rialto/bridge/uploads"
	"rialto/store/sqldb"
)

// Uploads implements uploads.Store.
type Uploads struct {
	tasks *Store
	sql   *sqldb.DB
}

var _ uploads.Store = Uploads{}

// Uploads returns the files that were sent for tasks.
func (db *Store) Uploads() Uploads { return Uploads{db, db.sql} }

// AddUpload implements uploads.Store.
func (l Uploads) AddUpload(
	ctx context.Context, u *uploads.Upload, hash string, now time.Time, most uploads.Bounds,
) error {
	return sqldb.MustChange(ctx, l.sql.Write, uploads.ErrTooMany, `
		INSERT INTO uploads (id, hash, owner, connector, name, media_type, sha256, size, expires)
		SELECT $1, $2, $3, $4, $5, $6, $7, CAST($8 AS BIGINT), CAST($9 AS BIGINT)
		WHERE (SELECT count(*) FROM uploads WHERE owner = $3 AND expires > $10) < $11
			AND (SELECT COALESCE(sum(size), 0) FROM uploads WHERE owner = $3 AND expires > $10)
				+ CAST($8 AS BIGINT) <= $12
			AND (SELECT COALESCE(sum(size), 0) FROM uploads) + CAST($8 AS BIGINT) <= $13`,
		u.ID, hash, u.Owner, u.Connector, u.Name, u.MediaType, u.SHA256, u.Size, u.Expires,
		now, most.Files, most.OfOwner, most.All)
}

const selectUpload = `
	SELECT id, owner, connector, name, media_type, sha256, size, content, task, expires FROM uploads `

// UploadAt implements uploads.Store.
func (l Uploads) UploadAt(ctx context.Context, hash string) (*uploads.Upload, error) {
	return scanUpload(l.sql.Read.QueryRowContext(ctx, selectUpload+`WHERE hash = $1`, hash))
}

// Upload implements uploads.Store.
func (l Uploads) Upload(ctx context.Context, id string) (*uploads.Upload, error) {
	return scanUpload(l.sql.Read.QueryRowContext(ctx, selectUpload+`WHERE id = $1`, id))
}

func scanUpload(r sqldb.Row) (*uploads.Upload, error) {
	u := &uploads.Upload{}
	err := r.Scan(
		&u.ID,
		&u.Owner,
		&u.Connector,
		&u.Name,
		&u.MediaType,
		&u.SHA256,
		&u.Size,
		&u.Content,
		&u.Task,
		&u.Expires,
	)
	if err != nil {
		return nil, sqldb.NoRow(err, uploads.ErrNone)
	}
	return u, nil
}

// AddChunk implements uploads.Store.
func (l Uploads) AddChunk(
	ctx context.Context, content string, n int, bytes []byte, now time.Time,
) error {
	return sqldb.Exec(ctx, l.sql.Write, `
		INSERT INTO upload_chunks (content, number, bytes, created) VALUES ($1, $2, $3, $4)`,
		content, n, bytes, now)
}

// Chunk implements uploads.Store.
func (l Uploads) Chunk(ctx context.Context, content string, n int) (bytes []byte, err error) {
	err = l.sql.Read.QueryRowContext(ctx, `
		SELECT bytes FROM upload_chunks WHERE content = $1 AND number = $2`,
		content, n).Scan(&bytes)
	return bytes, sqldb.NoRow(err, uploads.ErrNone)
}

// DropContent implements uploads.Store.
func (l Uploads) DropContent(ctx context.Context, content string) error {
	return sqldb.Exec(ctx, l.sql.Write, `DELETE FROM upload_chunks WHERE content = $1`, content)
}

// CompleteUpload implements uploads.Store.
func (l Uploads) CompleteUpload(ctx context.Context, u *uploads.Upload, now time.Time) error {
	return sqldb.MustChange(ctx, l.sql.Write, uploads.ErrUsed, `
		UPDATE uploads SET content = $2, size = $3, media_type = $4, sha256 = $5, expires = $6
		WHERE id = $1 AND content = '' AND expires > $7`,
		u.ID, u.Content, u.Size, u.MediaType, u.SHA256, u.Expires, now)
}

// DropUpload implements uploads.Store.
func (l Uploads) DropUpload(ctx context.Context, id string) error {
	return sqldb.Exec(ctx, l.sql.Write, `
		DELETE FROM uploads WHERE id = $1 AND content = '' AND task = ''`, id)
}

// giveFiles gives e its files. What has come is kept from then on.
func giveFiles(ctx context.Context, t *sqldb.Tx, e *ledger.Record) error {
	for _, id := range e.Files {
		err := sqldb.MustChange(ctx, t, uploads.ErrTaken, `
			UPDATE uploads SET task = $2, awaited = $3,
				expires = CASE content WHEN '' THEN expires ELSE CAST($4 AS BIGINT) END
			WHERE id = $1 AND task = ''`,
			id, e.Handle, e.AwaitsFiles(), e.Updated.Add(uploads.KeptFor))
		if err != nil {
			return err
		}
	}
	return nil
}

// EndedWaits implements uploads.Store.
func (l Uploads) EndedWaits(
	ctx context.Context, now time.Time, after string, limit int,
) ([]uploads.Waiting, error) {
	return sqldb.Select(ctx, l.sql.Read, scanWaiting, `
		SELECT owner, task, min(expires) <= $1 FROM uploads WHERE awaited = 1 AND task > $3
		GROUP BY owner, task HAVING min(length(content)) > 0 OR min(expires) <= $1
		ORDER BY task LIMIT $2`,
		now, limit, after)
}

func scanWaiting(r sqldb.Row) (w uploads.Waiting, err error) {
	err = r.Scan(&w.Owner, &w.Task, &w.Expired)
	return w, err
}

// EndWait implements uploads.Store.
func (l Uploads) EndWait(ctx context.Context, task string) error {
	return sqldb.Exec(ctx, l.sql.Write, `UPDATE uploads SET awaited = 0 WHERE task = $1`, task)
}

// DropUploads implements uploads.Store.
func (l Uploads) DropUploads(ctx context.Context, now time.Time, limit int) (int, error) {
	if err := l.tasks.flush(ctx); err != nil {
		return 0, err
	}

	rows, err := sqldb.Changed(ctx, l.sql.Write, `
		DELETE FROM uploads WHERE id IN (
			SELECT id FROM uploads WHERE expires <= $1 AND awaited = 0 OR task IN (
				SELECT handle FROM tasks WHERE handle = uploads.task AND settled = 1
					AND state NOT IN ('input-required', 'auth-required'))
			LIMIT $2)`,
		now, limit)
	if err != nil {
		return 0, err
	}

	contents, err := sqldb.Changed(ctx, l.sql.Write, `
		DELETE FROM upload_chunks WHERE content IN (
			SELECT content FROM upload_chunks WHERE number = 0 AND created < $1
				AND NOT EXISTS (SELECT 1 FROM uploads WHERE uploads.content = upload_chunks.content)
			LIMIT $2)`,
		now.Add(-time.Hour), limit)
	return int(max(rows, contents)), err
}
