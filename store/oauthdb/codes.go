package oauthdb

import (
	"context"
	"errors"
	"time"

	"rialto/oauth"
	"rialto/store/sqldb"
)

// TakeCode implements flow.CodeStore. "used = 0" in the UPDATE decides who
// is first; what a second caller does to the grant is committed with it. A code that does not
// exist costs no turn of a writer.
func (db *Grants) TakeCode(
	ctx context.Context,
	hash, clientID string,
	first *oauth.Refresh,
	now time.Time,
) (code *oauth.Code, err error) {
	var exists int
	err = db.sql.Read.QueryRowContext(ctx, `
		SELECT 1 FROM codes WHERE hash = $1 AND client_id = $2`,
		hash, clientID).Scan(&exists)
	if err != nil {
		return nil, orNotFound(err)
	}

	var reused bool
	err = db.sql.InTx(ctx, func(tx *sqldb.Tx) error {
		reused = false
		code, err = takeCode(ctx, tx, hash, clientID, now)
		if errors.Is(err, oauth.ErrNotFound) {
			reused, err = revokeReused(ctx, tx, hash, clientID, now)
			return err
		}
		if err != nil || first == nil {
			return err
		}
		return addRefresh(ctx, tx, code.Grant.ID, "", first)
	})
	if err == nil && reused {
		return nil, oauth.ErrReused
	}

	return code, err
}

func takeCode(
	ctx context.Context,
	tx *sqldb.Tx,
	hash, clientID string,
	now time.Time,
) (*oauth.Code, error) {
	c := &oauth.Code{Hash: hash, ClientID: clientID}
	var grantID string
	err := tx.QueryRowContext(ctx, `
		UPDATE codes SET used = $1 WHERE hash = $2 AND client_id = $3 AND used = 0
		RETURNING grant_id, redirect_uri, challenge, jkt, expires`,
		now, hash, clientID).
		Scan(&grantID, &c.RedirectURI, &c.Challenge, &c.JKT, &c.Expires)
	if err != nil {
		return nil, orNotFound(err)
	}

	c.Grant, err = grant(ctx, tx, grantID)
	return c, err
}

// revokeReused revokes the grant of a code that its client used before. If there
// is no such code it returns oauth.ErrNotFound.
func revokeReused(
	ctx context.Context,
	tx *sqldb.Tx,
	hash, clientID string,
	now time.Time,
) (bool, error) {
	var grantID string
	err := tx.QueryRowContext(ctx, `
		SELECT grant_id FROM codes WHERE hash = $1 AND client_id = $2`,
		hash, clientID).Scan(&grantID)
	if err != nil {
		return false, orNotFound(err)
	}

	return true, revokeGrant(ctx, tx, grantID, now)
}
