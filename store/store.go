// Package store opens the database and puts the stores in it together. What they keep is
// in oauthdb, ledgerdb and recordsdb; the engines are in sqldb.
package store

import (
	"context"
	"errors"
	"log/slog"

	"rialto/oauth/authserver"
	"rialto/store/eventsdb"
	"rialto/store/ledgerdb"
	"rialto/store/oauthdb"
	"rialto/store/recordsdb"
	"rialto/store/sqldb"
)

// Memory is the address of a database that is this process's alone and gone when it is closed.
const Memory = sqldb.Memory

// DB is an open database and the stores in it.
type DB struct {
	OAuth      authserver.Stores
	OAuthLists *oauthdb.Lists // of clients, grants and accounts, for an operator
	Ledger     *ledgerdb.Store
	Records    *recordsdb.Store
	Events     *eventsdb.Store

	sql, tasks *sqldb.DB
}

// Open opens the database that dsn names, creating and migrating it as needed:
// "postgres://…", "sqlite:PATH", the path of a SQLite file, or Memory. The tasks that a
// killed server has left beside a SQLite file are in it then, unless a server runs.
func Open(ctx context.Context, dsn string) (*DB, error) {
	db, err := sqldb.Open(ctx, dsn)
	return open(ctx, db, err)
}

// OpenMigrated is Open without changes of the tables: it refuses those that are older than
// this program.
func OpenMigrated(ctx context.Context, dsn string) (*DB, error) {
	db, err := sqldb.OpenMigrated(ctx, dsn)
	return open(ctx, db, err)
}

// Migrate creates and migrates the tables, and returns their version before and after.
func Migrate(ctx context.Context, dsn string) (before, after int64, err error) {
	return sqldb.Migrate(ctx, dsn)
}

func open(ctx context.Context, db *sqldb.DB, err error) (*DB, error) {
	if err != nil {
		return nil, err
	}

	tasks, err := db.NewPool()
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}

	ledger, err := ledgerdb.Open(ctx, tasks)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}

	return &DB{
		OAuth:      oauthdb.New(db),
		OAuthLists: oauthdb.NewLists(db),
		Ledger:     ledger,
		Records:    recordsdb.New(db),
		Events:     eventsdb.New(tasks),
		sql:        db,
		tasks:      tasks,
	}, nil
}

// SetConnections sets how many connections to PostgreSQL are open at most for tasks, and for all else.
// Call it before the database is used.
func (db *DB) SetConnections(tasks, other int) {
	db.tasks.SetConnections(tasks)
	db.sql.SetConnections(other)
}

// System returns the engine: "sqlite" or "postgresql".
func (db *DB) System() string {
	if db.sql.Postgres {
		return "postgresql"
	}
	return "sqlite"
}

// Observe reports each statement to an observer. Call it before the database is used.
func (db *DB) Observe(o sqldb.Observer) {
	for _, each := range []*sqldb.DB{db.sql, db.tasks} {
		each.Read.Observer = o
		each.Write.Observer = o
	}
}

// Close closes the database.
func (db *DB) Close() error { return errors.Join(db.Ledger.Close(), db.sql.Close()) }

// Probe reports whether the database can be used, and whether its tables are as this program
// knows them: see sqldb.DB.Probe.
func (db *DB) Probe(ctx context.Context) (database, migrations error) { return db.sql.Probe(ctx) }

// LockServer reports whether no other server runs on the database: see sqldb.DB.LockServer.
func (db *DB) LockServer(ctx context.Context) (bool, error) { return db.sql.LockServer(ctx) }

// ExcludeServers reports whether no server runs on the database: see sqldb.DB.ExcludeServers.
func (db *DB) ExcludeServers(ctx context.Context) (release func() error, ok bool, err error) {
	return db.sql.ExcludeServers(ctx)
}

// StartWriteBehind starts to write tasks behind that have ended: see
// ledgerdb.Store.StartWriteBehind.
func (db *DB) StartWriteBehind(ctx context.Context, log *slog.Logger) error {
	return db.Ledger.StartWriteBehind(ctx, log)
}
