package recordsdb

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"rialto/internal/audit"
	"rialto/store/sqldb"
)

// AddEvents implements audit.Store. The row of audit_chain is locked, so that the replicas write one
// after the other.
func (db *Store) AddEvents(ctx context.Context, events []audit.Event) error {
	return db.sql.InTx(ctx, func(t *sqldb.Tx) error {
		var end audit.ChainEnd
		err := t.QueryRowContext(ctx, `
			UPDATE audit_chain SET seq = seq WHERE id = 1 RETURNING seq, hash`).
			Scan(&end.Seq, &end.Hash)
		if err != nil {
			return err
		}
		for _, e := range events {
			hash := db.AuditKey.Hash(end, e)
			n, err := sqldb.Changed(ctx, t, addEvent,
				e.At, e.ID, string(e.Kind), string(e.Outcome), e.ActorID, e.Actor, e.Address,
				e.Target, e.Detail, end.Seq+1, hash)
			if err != nil {
				return err
			}
			if n == 1 {
				end = audit.ChainEnd{Seq: end.Seq + 1, Hash: hash}
			}
		}
		return sqldb.Exec(ctx, t, `
			UPDATE audit_chain SET seq = $1, hash = $2 WHERE id = 1`,
			end.Seq, end.Hash)
	})
}

const eventColumns = `at, id, kind, outcome, actor_id, actor, address, target, detail`

// addEvent ignores an event that is written again because the answer to a commit was lost.
const addEvent = `
	INSERT INTO audit (` + eventColumns + `, seq, hash)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
	ON CONFLICT (at, id) DO NOTHING`

// verifyBatch is how many events are read at once.
const verifyBatch = 1000

// EndOfEvents implements audit.Store.
func (db *Store) EndOfEvents(ctx context.Context) (end audit.ChainEnd, err error) {
	err = db.sql.Read.QueryRowContext(ctx, `SELECT seq, hash FROM audit_chain WHERE id = 1`).
		Scan(&end.Seq, &end.Hash)
	return end, err
}

// VerifyEvents implements audit.Store. It reads all events as they are at one moment.
func (db *Store) VerifyEvents(
	ctx context.Context, anchors ...audit.ChainEnd,
) (*audit.Chain, error) {
	options := &sql.TxOptions{ReadOnly: true}
	if db.sql.Postgres {
		options.Isolation = sql.LevelRepeatableRead
	}

	t, err := db.sql.Read.BeginTx(ctx, options)
	if err != nil {
		return nil, sqldb.Classify(err)
	}
	defer t.Rollback()
	var last audit.ChainEnd
	slices.SortFunc(anchors, func(a, b audit.ChainEnd) int { return cmp.Compare(a.Seq, b.Seq) })
	c := &audit.Chain{Key: db.AuditKey, Anchors: anchors}
	err = t.QueryRowContext(ctx, `
		SELECT seq, hash, dropped_seq, dropped_hash FROM audit_chain WHERE id = 1`).
		Scan(&last.Seq, &last.Hash, &c.End.Seq, &c.End.Hash)
	if err != nil {
		return nil, sqldb.Classify(err)
	}

	from := int64(-1 << 62) // also a row that was put before the first is found
	for {
		batch, err := links(ctx, t, from, verifyBatch)
		if err != nil {
			return nil, err
		}
		for _, l := range batch {
			if err := c.Follow(l); err != nil {
				return nil, err
			}
			from = l.Seq
		}
		if len(batch) < verifyBatch {
			return c, c.Ends(last)
		}
	}
}

// links returns the next events after a number.
func links(ctx context.Context, t *sql.Tx, after int64, limit int) ([]audit.Link, error) {
	return sqldb.Select(ctx, t, scanLink, `
		SELECT `+eventColumns+`, seq, hash FROM audit
		WHERE seq > $1 ORDER BY seq LIMIT $2`,
		after, limit)
}

func scanLink(r sqldb.Row) (l audit.Link, err error) {
	err = r.Scan(append(eventFields(&l.Event), &l.Seq, &l.Hash)...)
	return l, err
}

// DropEvents implements audit.Store. Clocks of replicas may differ: an event stays until those before
// it can go.
func (db *Store) DropEvents(ctx context.Context, before time.Time, limit int) (n int, err error) {
	err = db.sql.InTx(ctx, func(t *sqldb.Tx) error {
		n = 0
		// It changes nothing: it locks the chain.
		err := sqldb.Exec(ctx, t, `UPDATE audit_chain SET seq = seq WHERE id = 1`)
		if err != nil {
			return err
		}
		oldest, err := links(ctx, t.Tx, -1<<62, limit)
		if err != nil {
			return err
		}
		for n < len(oldest) && oldest[n].At.Before(before) {
			n++
		}
		if n == 0 {
			return nil
		}
		last := oldest[n-1]
		if _, err := t.ExecContext(ctx, `DELETE FROM audit WHERE seq <= $1`, last.Seq); err != nil {
			return err
		}
		return sqldb.Exec(ctx, t, `
			UPDATE audit_chain SET dropped_seq = $1, dropped_hash = $2 WHERE id = 1`,
			last.Seq, last.Hash)
	})
	return n, err
}
