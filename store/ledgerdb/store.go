// Package ledgerdb keeps tasks with their search index, their webhooks and the links
// that share their results. It decides nothing. Tasks that have ended when they are
// added are written behind on SQLite (see package writebehind).
package ledgerdb

import (
	"context"
	"errors"

	"rialto/store/sqldb"
	"rialto/store/writebehind"
)

// Store implements the stores of package ledger.
type Store struct {
	sql     *sqldb.DB
	noticed chan struct{} // ready when there is something for webhooks
	queue   indexQueue
	heart   heartbeatConn
	inserts insertQueue
	buffer  *writebehind.Buffer[*endedTask] // nil if tasks are not written behind
}

// Open returns a store in an open database. The tasks that a killed server has left
// beside a SQLite file are in the database then, unless a server runs.
func Open(ctx context.Context, db *sqldb.DB) (*Store, error) {
	s := &Store{sql: db, noticed: make(chan struct{}, 1)}
	return s, s.recoverPending(ctx)
}

// Close ends writing behind and heartbeats.
func (db *Store) Close() error {
	err := db.heart.close()
	if db.buffer != nil {
		err = errors.Join(err, db.buffer.Close())
	}
	return err
}

// reading waits until a user may read, and until the database has all tasks that have ended
// before the call. Call done when the rows are read. A call must not be within another.
func (db *Store) reading(ctx context.Context, user string) (done func(), err error) {
	if err := db.flush(ctx); err != nil {
		return nil, err
	}
	return db.sql.Queue.Acquire(ctx, user)
}
