// Package store opens the database and puts the stores in it together. What they keep is
// in oauthdb, ledgerdb and recordsdb; the engines are in sqldb.
package store

import (
	"context"
	"errors"
	"log/slog"

	"rialto/internal/store/ledgerdb"
	"rialto/internal/store/oauthdb"
	"rialto/internal/store/recordsdb"
	"rialto/internal/store/sqldb"
)

// Memory is the address of a database that is this process's alone and gone when it is closed.
const Memory = sqldb.Memory

// DB is an open database and the stores in it.
type DB struct {
	OAuth   *oauthdb.Store
	Ledger  *ledgerdb.Store
	Records *recordsdb.Store

	sql *sqldb.DB
}

// Open opens the database that dsn names, creating and migrating it as needed:
// "postgres://…", "sqlite:PATH", the path of a SQLite file, or Memory. The tasks that a
// killed server has left beside a SQLite file are in it then, unless a server runs.
func Open(ctx context.Context, dsn string) (*DB, error) {
	db, err := sqldb.Open(ctx, dsn)
	if err != nil {
		return nil, err
	}
	ledger, err := ledgerdb.Open(ctx, db)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &DB{OAuth: oauthdb.New(db), Ledger: ledger, Records: recordsdb.New(db), sql: db}, nil
}

// Close closes the database.
func (db *DB) Close() error { return errors.Join(db.Ledger.Close(), db.sql.Close()) }

// Ping says whether the database answers.
func (db *DB) Ping(ctx context.Context) error { return db.sql.Ping(ctx) }

// LockServer reports whether no other server runs on the database: see sqldb.DB.LockServer.
func (db *DB) LockServer(ctx context.Context) (bool, error) { return db.sql.LockServer(ctx) }

// StartWriteBehind starts to write tasks behind that have ended: see
// ledgerdb.Store.StartWriteBehind.
func (db *DB) StartWriteBehind(ctx context.Context, log *slog.Logger) error {
	return db.Ledger.StartWriteBehind(ctx, log)
}
