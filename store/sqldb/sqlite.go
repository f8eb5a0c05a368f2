package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// readers is how many connections read at once. With write-ahead logging, readers and the
// writer do not block each other.
const readers = 4

// busyTimeout is how long a statement waits for the lock of another process.
const busyTimeout = 10 * time.Second

// openSQLite opens a file twice: to write over a single connection, so that writers queue here
// instead of failing with "database is locked", and to read. Only the file's owner may read it.
func openSQLite(path string) (*DB, error) {
	if err := checkMissing(path); err != nil {
		return nil, err
	}

	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}

	err = f.Chmod(0o600)
	info, failed := f.Stat()
	err = errors.Join(err, failed, f.Close())
	if err != nil {
		return nil, err
	}

	opened := &openedFile{path, info}
	// A statement that a trigger belongs to keeps copies of the pages that it changes: in memory, not in
	// a file.
	write, err := sql.Open("sqlite", sqliteURL(
		path, url.Values{"_txlock": {"immediate"}}, "temp_store(MEMORY)",
	))
	if err != nil {
		return nil, err
	}

	write.SetMaxOpenConns(1)
	read, err := readSQLite(path)
	if err != nil {
		write.Close()
		return nil, err
	}

	writer := &Pool{DB: write, prepares: true}
	writer.group = &group{pool: writer, file: opened}
	return &DB{
		Read:  read,
		Write: writer,
		Path:  path,
		file:  opened,
	}, nil
}

// awaitWAL makes the first connection. While another process turns on the log of a new file, SQLite
// refuses others at once, whatever their busy_timeout.
func awaitWAL(ctx context.Context, write *Pool) error {
	ctx, cancel := context.WithTimeout(ctx, busyTimeout)
	defer cancel()
	for {
		err := write.DB.PingContext(ctx)
		if !isBusy(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func readSQLite(path string) (*Pool, error) {
	read, err := sql.Open("sqlite", sqliteURL(path, url.Values{}, "query_only(1)"))
	if err != nil {
		return nil, err
	}
	read.SetMaxOpenConns(readers)
	read.SetMaxIdleConns(readers)
	return &Pool{DB: read, prepares: true}, nil
}

// sqliteURL names the file with the settings of each connection. busy_timeout comes first,
// because the others may have to wait. With synchronous(FULL), committed writes survive a
// power cut: a code that was redeemed must not come back.
func sqliteURL(path string, query url.Values, pragmas ...string) string {
	query["_pragma"] = append([]string{
		fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()),
		"journal_mode(WAL)",
		"synchronous(FULL)",
		"foreign_keys(1)",
	}, pragmas...)
	return fileURL(path, query)
}

// openExisting opens a file that exists over a single connection, without the settings of a
// server. A statement waits so long for a lock.
func openExisting(path string, wait time.Duration) (*sql.DB, error) {
	query := url.Values{
		"mode":    {"rw"},
		"_pragma": {fmt.Sprintf("busy_timeout(%d)", wait.Milliseconds())},
	}
	db, err := sql.Open("sqlite", fileURL(path, query))
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

// fileURL names a SQLite file with parameters.
func fileURL(path string, query url.Values) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + query.Encode()
}

// errFileReplaced says that what is written would be lost with the process.
var errFileReplaced = errors.New(
	"the database file was deleted or replaced while the server used it: restore it, or restart the server",
)

// openedFile is the database file as it was when it was opened.
type openedFile struct {
	path string
	info os.FileInfo
}

// check returns an error unless the path still leads to the file. SQLite would write on
// into a file that was deleted.
func (f *openedFile) check() error {
	if f == nil {
		return nil
	}
	is, err := os.Stat(f.path)
	replaced := err == nil && !os.SameFile(is, f.info)
	if errors.Is(err, os.ErrNotExist) || replaced {
		return fmt.Errorf("%s: %w", f.path, errFileReplaced)
	}
	return err
}

// companionSuffixes are the suffixes of files that belong to a database and are useless without it: the
// key that seals its secrets, SQLite's log, and tasks that ended last.
var companionSuffixes = []string{".key", "-wal", ".pending", ".pending-wal", ".pending-keys"}

// checkMissing returns an error if there is no database or an empty file, and yet a file that belongs
// to one: a new database would hide that the old one was lost.
func checkMissing(path string) error {
	state := "missing"
	info, err := os.Stat(path)
	switch {
	case err == nil && info.Size() == 0:
		state = "empty"
	case !errors.Is(err, os.ErrNotExist):
		return nil // what else is wrong shows when it is opened
	}
	var left []string
	for _, suffix := range companionSuffixes {
		if _, err := os.Stat(path + suffix); err == nil {
			left = append(left, path+suffix)
		}
	}

	if len(left) == 0 {
		return nil
	}

	files := strings.Join(left, ", ")
	return fmt.Errorf(
		"%s is %s, but files that belong to it are there (%s): restore %s from a backup, together with these files; or, to begin anew without its accounts, connections and tasks, move these files away",
		path, state, files, path,
	)
}
