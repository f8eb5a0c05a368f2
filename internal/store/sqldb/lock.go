package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// lockWait is how long a server waits to see whether it is alone: a command may be
// about to take what a killed one has left (see takeLeft).
const lockWait = time.Second

// What begins the transaction of each lock: that of the only server, of one that others
// come beside, and of these.
const (
	beOnly   = "BEGIN EXCLUSIVE"
	beAlone  = "BEGIN IMMEDIATE"
	beBeside = "BEGIN; SELECT count(*) FROM sqlite_schema"
)

// Alone reports whether no other server that asks this lives on the same database,
// and has those that ask later told otherwise until Close. So has one that is not
// alone: when the first is gone, the next is not taken for the only one while it lives.
// Locks that the operating system takes from a killed process say so: those of an empty
// database, ".server" behind the name of the file, links followed, in a transaction
// that does not end. Who is alone could lock all of it once, and has the one lock that
// lets others in, but nobody else to the same (RESERVED); the others share the lock of
// readers (SHARED). A server of a version that does not ask is not seen. On PostgreSQL,
// where several servers are the rule, nobody is alone.
func (db *DB) Alone(ctx context.Context) (bool, error) {
	if db.Postgres || db.Path == "" {
		return !db.Postgres, nil
	}
	if db.lock != nil {
		return db.alone, nil
	}
	path, err := filepath.EvalSymlinks(db.Path)
	if err != nil {
		return false, err
	}
	l, err := openLock(ctx, path, lockWait)
	if err != nil {
		return false, err
	}
	db.lock = l
	if db.alone, err = l.take(ctx, beOnly); db.alone {
		if err = l.release(ctx); err == nil {
			db.alone, err = l.take(ctx, beAlone)
		}
	}
	if !db.alone && err == nil {
		_, err = l.take(ctx, beBeside)
	}
	return db.alone && err == nil, err
}

// serverLock is the empty database beside another whose locks tell who lives.
type serverLock struct {
	db   *sql.DB
	conn *sql.Conn
}

// openLock opens the lock beside the database at path, and takes nothing yet.
func openLock(ctx context.Context, path string, wait time.Duration) (*serverLock, error) {
	path += ".server"
	// A file that is there is not opened: to close it would end the locks that
	// another DB of this process holds on it (POSIX, fcntl).
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	query := url.Values{"_pragma": {fmt.Sprintf("busy_timeout(%d)", wait.Milliseconds())}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+query.Encode())
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &serverLock{db, conn}, nil
}

// take begins the transaction, and reports whether it has its lock: another may.
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

// isBusy reports whether another connection has the lock of SQLite that err is about.
func isBusy(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code()&0xff == sqlite3.SQLITE_BUSY
}

// Unserved reports whether no server runs on the database, and keeps servers out until
// release is called.
func (db *DB) Unserved(ctx context.Context) (release func() error, ok bool, err error) {
	path, err := filepath.EvalSymlinks(db.Path)
	if err != nil {
		return nil, false, err
	}
	l, err := openLock(ctx, path, 0)
	if err != nil {
		return nil, false, err
	}
	ok, err = l.take(ctx, beAlone)
	return l.close, ok, err
}
