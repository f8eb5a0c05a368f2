package store

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Alone reports whether no other server that asks this lives on the same database,
// and has those that ask later told otherwise until Close. A lock that the operating
// system takes from a killed process says so: that of an empty database, ".server"
// behind the name of the file, links followed, in a transaction that does not end. A
// server of a version that does not ask is not seen. On PostgreSQL, where several
// servers are the rule, nobody is alone.
func (db *DB) Alone(ctx context.Context) (bool, error) {
	if db.postgres || db.path == "" {
		return !db.postgres, nil
	}
	path, err := filepath.EvalSymlinks(db.path)
	if err != nil {
		return false, err
	}
	path += ".server"
	// A file that is there is not opened: to close it would end the locks that
	// another DB of this process holds on it (POSIX, fcntl).
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err != nil && !errors.Is(err, os.ErrExist) {
		return false, err
	}
	side, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?_txlock=exclusive")
	if err != nil {
		return false, err
	}
	lock, err := side.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		side.Close()
		if e, ok := errors.AsType[*sqlite.Error](err); ok && e.Code()&0xff == sqlite3.SQLITE_BUSY {
			return false, nil
		}
		return false, err
	}
	db.unlock = func() error { return errors.Join(lock.Rollback(), side.Close()) }
	return true, nil
}
