// Package sqldb opens a database in SQLite or PostgreSQL, brings its tables up to date
// and runs transactions. It knows the engines and the tables, but not what they hold:
// that is in oauthdb, ledgerdb and recordsdb.
//
// Both engines run the same statements. A state change is one statement that names the
// state it leaves (compare and swap), or a transaction of a few of them, so READ
// COMMITTED is enough. Only a transaction that PostgreSQL ends to resolve a deadlock is
// begun again. Columns are TEXT or BIGINT, times are milliseconds since 1970.
package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/pressly/goose/v3"
)

// DB is an open database. Its methods may be called concurrently.
type DB struct {
	Read  *Pool
	Write *Pool // the same as Read on PostgreSQL and in memory

	Postgres bool   // the engine, where statements differ
	Path     string // of a SQLite file; "" of others

	holder *sql.DB     // keeps a database in memory; nil for others
	lock   *serverLock // of a server; nil before LockServer
	alone  bool        // what LockServer returned
}

// Open opens the database that dsn names, creating and migrating it as needed:
// "postgres://…", "sqlite:PATH", the path of a SQLite file, or Memory.
func Open(ctx context.Context, dsn string) (*DB, error) {
	db, dialect, err := connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	db.Postgres = dialect == goose.DialectPostgres
	if err := db.migrate(ctx, dialect); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func connect(ctx context.Context, dsn string) (*DB, goose.Dialect, error) {
	if dsn == Memory {
		db, err := openMemory(ctx)
		return db, goose.DialectSQLite3, err
	}
	if strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://") {
		db, err := openPostgres(dsn)
		return db, goose.DialectPostgres, err
	}
	db, err := openSQLite(strings.TrimPrefix(dsn, "sqlite:"))
	return db, goose.DialectSQLite3, err
}

// Close closes the database.
func (db *DB) Close() error {
	err := db.Read.Close()
	if db.Write != db.Read {
		err = errors.Join(err, db.Write.Close())
	}
	if db.holder != nil {
		err = errors.Join(err, db.holder.Close())
	}
	if db.lock != nil {
		err = errors.Join(err, db.lock.close())
		db.lock = nil
	}
	return err
}

// Ping says whether the database answers.
func (db *DB) Ping(ctx context.Context) error { return db.Read.PingContext(ctx) }

// tries is how often a transaction is begun that ends in a deadlock.
const tries = 4

// InTx runs do in a transaction of Write. It commits if do returns
// nil and rolls back otherwise. do may be called again after what it did was
// undone, so it must leave nothing behind but the outcome of its last call.
func (db *DB) InTx(ctx context.Context, do func(*Tx) error) (err error) {
	if db.Write.group != nil {
		return db.Write.group.inTx(ctx, do)
	}
	for range tries {
		if err = db.Write.inTx(ctx, do); !deadlocked(err) {
			return err
		}
	}
	return err
}
