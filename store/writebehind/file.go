package writebehind

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// keysSuffix is the suffix of the list of keys.
const keysSuffix = "-keys"

// file is a SQLite file with rows that are added at the end and deleted at the beginning.
type file struct {
	db             *sql.DB
	insertion, end *sql.Stmt
}

// openFile opens the file of the database with an ID, or makes it. Only its owner may read it.
func openFile(ctx context.Context, path, id string) (*file, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		err = errors.Join(f.Chmod(0o600), f.Close())
	}
	if err != nil {
		return nil, err
	}
	query := url.Values{"_txlock": {"immediate"}, "_pragma": {
		"busy_timeout(10000)",
		"cache_size(-256)",
		"journal_mode(WAL)",
		"synchronous(FULL)", // a backup reads it meanwhile
	}}
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+query.Encode())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	opened := &file{db: db}
	if err := opened.prepare(ctx, id); err != nil {
		return nil, errors.Join(asDamaged(err), opened.close())
	}

	return opened, nil
}

// prepare makes the tables and compares the ID.
func (f *file) prepare(ctx context.Context, id string) error {
	_, err := f.db.ExecContext(ctx, `
		CREATE TABLE IF NOT EXISTS owner (id TEXT NOT NULL);
		CREATE TABLE IF NOT EXISTS groups (seq INTEGER PRIMARY KEY, records BLOB NOT NULL)`)
	if err == nil {
		_, err = f.db.ExecContext(ctx, `
			INSERT INTO owner (id) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM owner)`,
			id)
	}
	if err != nil {
		return err
	}

	var is string
	if err := f.db.QueryRowContext(ctx, `SELECT id FROM owner`).Scan(&is); err != nil {
		return err
	}
	if is != id {
		groups, err := f.count(ctx)
		if err == nil && groups > 0 {
			err = &DamagedError{Groups: groups, Cause: ErrForeign}
		}
		return cmp.Or(err, ErrForeign)
	}

	f.insertion, err = f.db.PrepareContext(ctx, `INSERT INTO groups (seq, records) VALUES (?, ?)`)
	if err != nil {
		return err
	}

	f.end, err = f.db.PrepareContext(ctx, `DELETE FROM groups WHERE seq <= ?`)
	return err
}

// asDamaged returns an error of a file that SQLite cannot read as a *DamagedError.
func asDamaged(err error) error {
	if e, ok := errors.AsType[*sqlite.Error](err); ok &&
		slices.Contains([]int{sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}, e.Code()&0xff) {
		return &DamagedError{Cause: err}
	}
	return err
}

// count returns the number of rows.
func (f *file) count(ctx context.Context) (n int, err error) {
	return n, f.db.QueryRowContext(ctx, `SELECT count(*) FROM groups`).Scan(&n)
}

// rows returns all rows by their numbers. With an error it returns those before it.
func (f *file) rows(ctx context.Context) (map[int64][]byte, error) {
	found, err := f.db.QueryContext(ctx, `SELECT seq, records FROM groups`)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	all := map[int64][]byte{}
	for found.Next() {
		var seq int64
		var text []byte
		if err := found.Scan(&seq, &text); err != nil {
			return all, err
		}
		all[seq] = text
	}

	return all, found.Err()
}

func (f *file) insert(seq int64, text []byte) error {
	_, err := f.insertion.Exec(seq, text)
	return err
}

// delete deletes the rows up to one.
func (f *file) delete(last int64) error {
	_, err := f.end.Exec(last)
	return err
}

func (f *file) close() error { return f.db.Close() }

// Remove removes a file, whosever it is. Nothing may have it open.
func Remove(path string) (err error) {
	for _, suffix := range []string{keysSuffix, "-wal", "-shm", ""} {
		if failed := os.Remove(path + suffix); !errors.Is(failed, os.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// SetAside renames a file, so that a new one can be made, and returns its name. Nothing may
// have it open.
func SetAside(path string) (to string, err error) {
	to = fmt.Sprintf("%s.damaged-%d", path, time.Now().UnixNano())
	for _, suffix := range []string{"-wal", ""} { // the index of the log (-shm) is made again
		if failed := os.Rename(path+suffix, to+suffix); !errors.Is(failed, os.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return to, errors.Join(err, Remove(path))
}
