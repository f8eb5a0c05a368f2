package recordsdb

import (
	"context"
	"time"

	"rialto/a2a/a2avault"
	"rialto/store/sqldb"
)

var _ a2avault.Store = (*Store)(nil)

const connectionColumns = `owner, agent, kind, sealed, version, connected, updated`

// PutConnection implements a2avault.Store.
func (db *Store) PutConnection(ctx context.Context, r a2avault.Row) error {
	return sqldb.Exec(ctx, db.sql.Write, `
		INSERT INTO connections (`+connectionColumns+`) VALUES ($1, $2, $3, $4, 1, $5, $6)
		ON CONFLICT (owner, agent) DO UPDATE SET
			kind = excluded.kind, sealed = excluded.sealed, version = connections.version + 1,
			connected = excluded.connected, updated = excluded.updated, holder = '', held_until = 0`,
		r.Owner, r.Agent, string(r.Kind), r.Sealed, r.Connected, r.Updated)
}

// Connection implements a2avault.Store.
func (db *Store) Connection(ctx context.Context, owner, agent string) (*a2avault.Row, error) {
	r, err := scanConnection(db.sql.Read.QueryRowContext(ctx, `
		SELECT `+connectionColumns+` FROM connections WHERE owner = $1 AND agent = $2`,
		owner, agent))
	if err != nil {
		return nil, sqldb.NoRow(err, a2avault.ErrNone)
	}
	return &r, nil
}

// Connections implements a2avault.Store.
func (db *Store) Connections(ctx context.Context, owner string) ([]a2avault.Row, error) {
	return sqldb.Select(ctx, db.sql.Read, scanConnection, `
		SELECT `+connectionColumns+` FROM connections WHERE owner = $1 ORDER BY agent`,
		owner)
}

func scanConnection(row sqldb.Row) (r a2avault.Row, err error) {
	err = row.Scan(&r.Owner, &r.Agent, &r.Kind, &r.Sealed, &r.Version, &r.Connected, &r.Updated)
	return r, err
}

// ForgetConnection implements a2avault.Store.
func (db *Store) ForgetConnection(ctx context.Context, owner, agent string) error {
	return sqldb.MustChange(ctx, db.sql.Write, a2avault.ErrNone, `
		DELETE FROM connections WHERE owner = $1 AND agent = $2`,
		owner, agent)
}

// ClaimRenewal implements a2avault.Store. The WHERE clause is the lock.
func (db *Store) ClaimRenewal(
	ctx context.Context,
	r *a2avault.Row,
	holder string,
	now time.Time,
	lasts time.Duration,
) error {
	now, err := db.sql.Clock(ctx, now)
	if err != nil {
		return err
	}

	return sqldb.MustChange(ctx, db.sql.Write, a2avault.ErrChanged, `
		UPDATE connections SET holder = $1, held_until = $2
		WHERE owner = $3 AND agent = $4 AND version = $5 AND held_until <= $6`,
		holder, now.Add(lasts), r.Owner, r.Agent, r.Version, now)
}

// SaveRenewal implements a2avault.Store.
func (db *Store) SaveRenewal(ctx context.Context, r *a2avault.Row, holder string) error {
	return sqldb.MustChange(ctx, db.sql.Write, a2avault.ErrChanged, `
		UPDATE connections SET
			kind = $1, sealed = $2, updated = $3, version = version + 1, holder = '', held_until = 0
		WHERE owner = $4 AND agent = $5 AND version = $6 AND holder = $7`,
		string(r.Kind), r.Sealed, r.Updated, r.Owner, r.Agent, r.Version, holder)
}

// AddAttempt implements a2avault.Store.
func (db *Store) AddAttempt(ctx context.Context, a a2avault.Attempt) error {
	return sqldb.MustChange(ctx, db.sql.Write, a2avault.ErrTooMany, `
		INSERT INTO connection_attempts (state, browser, owner, agent, task, sealed, expires)
		SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($3 AS TEXT), CAST($4 AS TEXT),
			CAST($5 AS TEXT), CAST($6 AS TEXT), CAST($7 AS BIGINT)
		WHERE (SELECT COUNT(*) FROM connection_attempts WHERE owner = $8) < CAST($9 AS BIGINT)`,
		a.State, a.Browser, a.Owner, a.Agent, a.Task, a.Sealed, a.Expires, a.Owner,
		a2avault.MostAttempts)
}

// TakeAttempt implements a2avault.Store.
func (db *Store) TakeAttempt(
	ctx context.Context, state string, now time.Time,
) (*a2avault.Attempt, error) {
	a := &a2avault.Attempt{State: state}
	err := db.sql.Write.QueryRowContext(ctx, `
		DELETE FROM connection_attempts WHERE state = $1
		RETURNING browser, owner, agent, task, sealed, expires`,
		state).
		Scan(&a.Browser, &a.Owner, &a.Agent, &a.Task, &a.Sealed, &a.Expires)
	if err != nil {
		return nil, sqldb.NoRow(err, a2avault.ErrNone)
	}
	if !now.Before(a.Expires) {
		return nil, a2avault.ErrNone
	}

	return a, nil
}

// DropAttempts implements a2avault.Store.
func (db *Store) DropAttempts(ctx context.Context, before time.Time) error {
	return sqldb.Exec(ctx, db.sql.Write, `
		DELETE FROM connection_attempts WHERE expires <= $1`,
		before)
}
