package oauthdb

import (
	"context"

	"rialto/oauth"
	"rialto/store/sqldb"
)

// Document implements client.DocumentStore.
func (db *Clients) Document(ctx context.Context, id string) (*oauth.Document, error) {
	d := &oauth.Document{ID: id}
	return found(d, db.sql.Read.QueryRowContext(ctx, `
		SELECT body, fetched, fresh, expires FROM client_documents WHERE id = $1`,
		id).
		Scan(&d.Body, &d.Fetched, &d.Fresh, &d.Expires))
}

// KeepDocument implements client.DocumentStore. Replicas may have fetched at the
// same time: the newer document stays.
func (db *Clients) KeepDocument(ctx context.Context, d *oauth.Document, limit int) error {
	return db.sql.InTx(ctx, func(tx *sqldb.Tx) error {
		var others int
		err := tx.QueryRowContext(ctx, `
			SELECT COUNT(*) FROM client_documents WHERE id <> $1`,
			d.ID).Scan(&others)
		if err == nil && others >= limit {
			err = sqldb.Exec(ctx, tx, `
				DELETE FROM client_documents WHERE id IN (
					SELECT id FROM client_documents WHERE id <> $1
					AND NOT EXISTS (SELECT 1 FROM grants WHERE grants.client_id = client_documents.id)
					ORDER BY fetched, id LIMIT $2)`,
				d.ID, others-limit+1)
		}
		if err != nil {
			return err
		}
		n, err := sqldb.Changed(ctx, tx, `
			INSERT INTO client_documents (id, body, fetched, fresh, expires) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (id) DO UPDATE SET body = excluded.body, fetched = excluded.fetched,
				fresh = excluded.fresh, expires = excluded.expires
			WHERE client_documents.fetched <= excluded.fetched`,
			d.ID, d.Body, d.Fetched, d.Fresh, d.Expires)
		if err != nil || n == 0 {
			return err
		}
		return setTerms(ctx, tx, documentTerms, d.ID, documentName(d.Body))
	})
}

// DropDocument implements client.DocumentStore.
func (db *Clients) DropDocument(ctx context.Context, id string) error {
	return sqldb.MustChange(ctx, db.sql.Write, oauth.ErrNotFound, `
		DELETE FROM client_documents WHERE id = $1`,
		id)
}
