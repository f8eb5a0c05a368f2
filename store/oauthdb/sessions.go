package oauthdb

import (
	"context"
	"time"

	"rialto/oauth"
	"rialto/store/sqldb"
)

// AddSession implements signin.SessionStore.
func (db *Accounts) AddSession(ctx context.Context, s *oauth.Session) error {
	return sqldb.Exec(ctx, db.sql.Write, `
		INSERT INTO sessions (hash, account_id, created, expires, grants_until,
			network, user_agent, seen, proved)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		s.Hash, s.AccountID, s.Created, s.Expires, s.GrantsUntil,
		s.Network, s.UserAgent, s.Seen, s.Proved)
}

const selectSessions = `
	SELECT s.hash, s.account_id, a.name, a.admin, a.usecases, a.issuer, s.created, s.expires,
		s.grants_until, s.network, s.user_agent, s.seen, s.proved
	FROM sessions s JOIN accounts a ON a.id = s.account_id
	WHERE s.expires > $2 AND a.disabled = 0 AND `

// scanSession reads a row of selectSessions.
func scanSession(row sqldb.Row) (*oauth.Session, error) {
	s := &oauth.Session{}
	return s, row.Scan(
		&s.Hash,
		&s.AccountID,
		&s.Name,
		&s.Admin,
		sqldb.List(&s.UseCases),
		&s.Issuer,
		&s.Created,
		&s.Expires,
		&s.GrantsUntil,
		&s.Network,
		&s.UserAgent,
		&s.Seen,
		&s.Proved,
	)
}

// Session implements signin.SessionStore.
func (db *Accounts) Session(ctx context.Context, hash string, now time.Time) (*oauth.Session, error) {
	return found(scanSession(
		db.sql.Read.QueryRowContext(ctx, selectSessions+`s.hash = $1`, hash, now),
	))
}

// maxSessions bounds a list of sessions.
const maxSessions = 100

// Sessions implements signin.SessionStore.
func (db *Accounts) Sessions(
	ctx context.Context, accountID string, now time.Time,
) ([]*oauth.Session, error) {
	return sqldb.Select(ctx, db.sql.Read, scanSession,
		selectSessions+`s.account_id = $1 ORDER BY s.seen DESC, s.hash LIMIT $3`,
		accountID, now, maxSessions)
}

// SawSession implements signin.SessionStore.
func (db *Accounts) SawSession(ctx context.Context, hash string, now time.Time) error {
	return sqldb.Exec(ctx, db.sql.Write, `UPDATE sessions SET seen = $1 WHERE hash = $2`, now, hash)
}

// ProveSession implements signin.SessionStore.
func (db *Accounts) ProveSession(ctx context.Context, hash string, now time.Time) error {
	return sqldb.MustChange(ctx, db.sql.Write, oauth.ErrNotFound, `
		UPDATE sessions SET proved = $1 WHERE hash = $2`,
		now, hash)
}

// EndSessions implements signin.AccountStore.
func (db *Accounts) EndSessions(ctx context.Context, accountID string) error {
	return db.EndOtherSessions(ctx, accountID, "")
}

// EndOtherSessions implements signin.SessionStore.
func (db *Accounts) EndOtherSessions(ctx context.Context, accountID, except string) error {
	return sqldb.Exec(ctx, db.sql.Write, `
		DELETE FROM sessions WHERE account_id = $1 AND hash <> $2`,
		accountID, except)
}

// EndSessionOf implements signin.SessionStore.
func (db *Accounts) EndSessionOf(ctx context.Context, accountID, hash string) error {
	return sqldb.MustChange(ctx, db.sql.Write, oauth.ErrNotFound, `
		DELETE FROM sessions WHERE account_id = $1 AND hash = $2`,
		accountID, hash)
}

// EndSession implements signin.SessionStore.
func (db *Accounts) EndSession(ctx context.Context, hash string) error {
	return sqldb.Exec(ctx, db.sql.Write, `DELETE FROM sessions WHERE hash = $1`, hash)
}
