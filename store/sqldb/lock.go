package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// lockWait is how long a server waits for the lock: a command may be recovering the tasks
// of a killed server (see ExcludeServers).
const lockWait = time.Second

// The statements that take the lock of the only server, of the first server when others
// may come, and of the others.
const (
	lockExclusive = "BEGIN EXCLUSIVE"
	lockReserved  = "BEGIN IMMEDIATE"
	lockShared    = "BEGIN; SELECT count(*) FROM sqlite_schema"
)

// LockServer locks the database as a server, and reports whether no other server does. Until
// Close, later callers get false. A server that got false keeps its lock as well, so that
// the next is not taken for the only one when the first is gone.
//
// The locks are those of an empty SQLite database with the suffix ".server", held by a
// transaction that does not end: the operating system releases them with a killed process.
// A server that could lock it exclusively once is alone, and keeps the one lock that lets
// readers in but no other writer (RESERVED); the others keep a reader's lock (SHARED). On
// PostgreSQL, where several servers are the rule, it returns false.
func (db *DB) LockServer(ctx context.Context) (bool, error) {
	if db.Postgres || db.Path == "" {
		return !db.Postgres, nil
	}
	if db.server.lock != nil {
		return db.server.alone, nil
	}

	l, err := openLock(ctx, db.Path, lockWait)
	if err != nil {
		return false, err
	}

	db.server.lock = l
	alone, err := l.take(ctx, lockExclusive)
	if alone {
		err = l.release(ctx)
		if err == nil {
			alone, err = l.take(ctx, lockReserved)
		}
	}
	if !alone && err == nil {
		_, err = l.take(ctx, lockShared)
	}

	db.server.alone = alone
	return alone && err == nil, err
}

// serverLock is the empty database whose locks tell which servers run.
type serverLock struct {
	db   *sql.DB
	conn *sql.Conn
}

// openLock opens the lock file of the database at path, and takes no lock yet.
func openLock(ctx context.Context, path string, wait time.Duration) (*serverLock, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	path += ".server"
	// An existing file is not opened: to close it would release the locks that another
	// DB in this process holds (POSIX, fcntl).
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}

	db, err := openExisting(path, wait)
	if err != nil {
		return nil, err
	}

	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}

	return &serverLock{db, conn}, nil
}

// take begins the transaction, and reports whether it got the lock.
func (l *serverLock) take(ctx context.Context, begin string) (bool, error) {
	_, err := l.conn.ExecContext(ctx, begin)
	if isBusy(err) {
		return false, nil
	}
	return err == nil, err
}

// release ends the transaction.
func (l *serverLock) release(ctx context.Context) error {
	_, err := l.conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	return err
}

func (l *serverLock) close() error { return errors.Join(l.conn.Close(), l.db.Close()) }

// isBusy reports whether another connection has the lock.
func isBusy(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code()&0xff == sqlite3.SQLITE_BUSY
}

// ExcludeServers reports whether no server runs on the database, and keeps servers out until
// release is called. It reports false on PostgreSQL and in memory.
func (db *DB) ExcludeServers(ctx context.Context) (release func() error, ok bool, err error) {
	if db.Path == "" {
		return func() error { return nil }, false, nil
	}

	l, err := openLock(ctx, db.Path, 0)
	if err != nil {
		return nil, false, err
	}

	ok, err = l.take(ctx, lockReserved)
	return l.close, ok, err
}
