package oauthdb

import (
	"context"
	"time"

	"rialto/oauth"
	"rialto/store/sqldb"
)

func addRefresh(
	ctx context.Context,
	q sqldb.Querier,
	grantID, parent string,
	t *oauth.Refresh,
) error {
	return sqldb.Exec(ctx, q, `
		INSERT INTO refresh_tokens (hash, grant_id, client_id, parent, jkt, expires)
		VALUES ($1, $2, $3, $4, $5, $6)`,
		t.Hash, grantID, t.ClientID, parent, t.JKT, t.Expires)
}

// Refresh implements flow.CodeStore.
func (db *Grants) Refresh(ctx context.Context, hash string) (*oauth.Refresh, *oauth.Grant, error) {
	t := &oauth.Refresh{Hash: hash}
	g, err := scanGrant(db.sql.Read.QueryRowContext(ctx, `
		SELECT `+grantColumns+`, t.client_id, t.jkt, t.expires, t.used
		FROM refresh_tokens t
			JOIN grants g ON g.id = t.grant_id
			JOIN accounts a ON a.id = g.account_id
		WHERE t.hash = $1`,
		hash), &t.ClientID, &t.JKT, &t.Expires, &t.Used)
	if err != nil {
		return nil, nil, err
	}

	return t, g, nil
}

// Rotate implements flow.CodeStore.
func (db *Grants) Rotate(ctx context.Context, r oauth.Rotation) (sealed string, err error) {
	var reused bool
	err = db.sql.InTx(ctx, func(tx *sqldb.Tx) error {
		reused = false
		t, err := useRefresh(ctx, tx, r)
		if err != nil {
			return err
		}
		sealed = t.successor
		if t.uses == 1 {
			return addRefresh(ctx, tx, t.grantID, r.Hash, &r.Next)
		}
		reused = t.uses > int64(r.MaxUses) || r.Now.Sub(t.used) >= r.Grace || sealed == ""
		if reused {
			return revokeGrant(ctx, tx, t.grantID, r.Now)
		}
		return nil
	})
	if err == nil && reused {
		err = oauth.ErrReused
	}

	return sealed, err
}

// usedToken is a refresh token after a use.
type usedToken struct {
	grantID   string
	used      time.Time // for the first time
	uses      int64
	successor string
}

// useRefresh counts a use if the grant is live (oauth.Grant.Live). The first use sets its
// time and the successor; concurrent uses wait for the row and read both.
func useRefresh(ctx context.Context, tx *sqldb.Tx, r oauth.Rotation) (t usedToken, err error) {
	err = tx.QueryRowContext(ctx, `
		UPDATE refresh_tokens SET
			used      = CASE WHEN uses = 0 THEN $1 ELSE used END,
			successor = CASE WHEN uses = 0 THEN $2 ELSE successor END,
			uses      = uses + 1
		WHERE hash = $3 AND client_id = $4 AND expires > $5 AND EXISTS (
			SELECT 1 FROM grants g JOIN accounts a ON a.id = g.account_id
			WHERE g.id = refresh_tokens.grant_id AND g.revoked = 0 AND g.expires > $5
			AND a.disabled = 0)
		RETURNING grant_id, used, uses, successor`,
		r.Now, r.Sealed, r.Hash, r.ClientID, r.Now).
		Scan(&t.grantID, &t.used, &t.uses, &t.successor)
	return t, orNotFound(err)
}
