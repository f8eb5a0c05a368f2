package ledgerdb

import (
	"context"
	"time"

	"rialto/bridge/ledger"
	"rialto/store/sqldb"
)

// TaskByDigest implements ledger.Store. The database's clock decides how long ago a message was
// sent: by that of a replica that is an hour ahead, a message of a moment ago would be new.
func (db *Store) TaskByDigest(
	ctx context.Context,
	owner, agent, digest string,
	now time.Time,
) (string, error) {
	now, err := db.sql.Clock(ctx, now)
	if err != nil {
		return "", err
	}
	return sentTask(ctx, db.sql.Read, owner, agent, digest, now)
}

// ForgetDigest implements ledger.Store.
func (db *Store) ForgetDigest(ctx context.Context, e *ledger.Record) error {
	return sqldb.Exec(ctx, db.sql.Write, `
		DELETE FROM sent WHERE owner = $1 AND agent = $2 AND digest = $3 AND handle = $4`,
		e.Owner, e.Agent, e.Digest, e.Handle)
}

func sentTask(
	ctx context.Context,
	q sqldb.Querier,
	owner, agent, digest string,
	now time.Time,
) (handle string, err error) {
	err = q.QueryRowContext(ctx, `
		SELECT handle FROM sent WHERE owner = $1 AND agent = $2 AND digest = $3 AND created > $4`,
		owner, agent, digest, now.Add(-ledger.RepeatsFor)).Scan(&handle)
	return handle, sqldb.NoRow(err, nil)
}

// deduplicate does what a message does to the ledger, and gives its files to the task, unless it
// was done for the same message before. Who comes second waits at the INSERT until the first is
// done.
func (db *Store) deduplicate(
	ctx context.Context,
	e *ledger.Record,
	now time.Time,
	do func(sqldb.Querier) error,
) error {
	if e.Digest == "" && len(e.Files) == 0 {
		return do(db.sql.Write)
	}

	now, err := db.sql.Clock(ctx, now)
	if err != nil {
		return err
	}

	return db.sql.InTx(ctx, func(t *sqldb.Tx) error {
		err := do(t)
		if err == nil && e.Digest != "" {
			err = addSent(ctx, t, e, now)
		}
		if err == nil {
			err = giveFiles(ctx, t, e)
		}
		return err
	})
}

// addSent records that the message of e was sent, or returns an ErrDuplicate.
func addSent(ctx context.Context, t *sqldb.Tx, e *ledger.Record, now time.Time) error {
	n, err := sqldb.Changed(ctx, t, `
		INSERT INTO sent (owner, agent, digest, handle, created) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (owner, agent, digest) DO UPDATE
		SET handle = excluded.handle, created = excluded.created
		WHERE sent.created <= $6`,
		e.Owner, e.Agent, e.Digest, e.Handle, now, now.Add(-ledger.RepeatsFor))
	if err != nil || n == 1 {
		return err
	}
	handle, err := sentTask(ctx, t, e.Owner, e.Agent, e.Digest, now)
	if err != nil {
		return err
	}
	return ledger.ErrDuplicate{Handle: handle}
}
