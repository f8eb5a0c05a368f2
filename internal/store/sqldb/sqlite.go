package sqldb

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// readers is how many connections read at once. With write-ahead logging, readers and the
// writer do not block each other.
const readers = 4

// openSQLite opens a file twice: to write over a single connection, so that writers queue here
// instead of failing with "database is locked", and to read. Only the file's owner may read it.
func openSQLite(path string) (*DB, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening database: %w", err)
	}
	err = f.Chmod(0o600)
	f.Close()
	if err != nil {
		return nil, fmt.Errorf("opening database: %w", err)
	}
	write, err := sql.Open("sqlite", sqliteURL(path, url.Values{"_txlock": {"immediate"}}))
	if err != nil {
		return nil, err
	}
	write.SetMaxOpenConns(1)
	read, err := sql.Open("sqlite", sqliteURL(path, url.Values{}, "query_only(1)"))
	if err != nil {
		write.Close()
		return nil, err
	}
	read.SetMaxOpenConns(readers)
	read.SetMaxIdleConns(readers)
	writer := &Pool{DB: write, prepares: true}
	writer.group = &group{pool: writer}
	return &DB{Read: &Pool{DB: read, prepares: true}, Write: writer, Path: path}, nil
}

// sqliteURL names the file with the settings of each connection. busy_timeout comes first,
// because the others may have to wait. With synchronous(FULL), committed writes survive a
// power cut: a code that was redeemed must not come back.
func sqliteURL(path string, query url.Values, pragmas ...string) string {
	query["_pragma"] = append([]string{
		"busy_timeout(10000)",
		"journal_mode(WAL)",
		"synchronous(FULL)",
		"foreign_keys(1)",
	}, pragmas...)
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + query.Encode()
}
