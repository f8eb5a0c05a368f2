package sqldb

import (
	"context"
	"crypto/rand"
	"database/sql"
	"net/url"
)

// Memory is the address of a database of this process that ends when it is closed.
const Memory = "memory"

// openMemory opens a SQLite database without a file. One connection does all the work:
// without write-ahead logging, readers and a writer would wait for each other's locks.
// SQLite deletes the database with its last connection, so a second one stays open.
func openMemory(ctx context.Context) (*DB, error) {
	address := "file:/" + rand.Text() + "?" + url.Values{
		"vfs":     {"memdb"},
		"_txlock": {"immediate"},
		"_pragma": {"foreign_keys(1)"},
	}.Encode()
	holder, err := sql.Open("sqlite", address)
	if err != nil {
		return nil, err
	}
	if err := holder.PingContext(ctx); err != nil { // the connection stays, idle
		holder.Close()
		return nil, err
	}

	worker, err := sql.Open("sqlite", address)
	if err != nil {
		holder.Close()
		return nil, err
	}

	worker.SetMaxOpenConns(1)
	both := &Pool{DB: worker, prepares: true}
	both.group = &group{pool: both}
	return &DB{Read: both, Write: both, holder: holder}, nil
}
