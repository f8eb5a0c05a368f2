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

	Postgres bool       // the engine, where statements differ
	Path     string     // of a SQLite file; "" of others
	Queue    *FairQueue // of users who read over Read; nil is no order

	dsn     string
	version int64       // of the tables that this program makes
	file    *openedFile // of SQLite; nil for others
	link    *link       // to PostgreSQL; nil for others
	holder  *sql.DB     // keeps a database in memory; nil for others
	probe   *probe
	server  *serverState
	pools   []*sql.DB // of NewPool
}

// serverState is what a server holds of a database.
type serverState struct {
	lock  *serverLock // nil before LockServer
	alone bool        // what LockServer returned
}

// Open opens the database that dsn names, creating and migrating it as needed:
// "postgres://…", "sqlite:PATH", the path of a SQLite file, or Memory.
func Open(ctx context.Context, dsn string) (*DB, error) {
	return openWith(ctx, dsn, (*DB).migrate)
}

// OpenMigrated is Open without changes of the tables: it refuses those that are older than
// this program.
func OpenMigrated(ctx context.Context, dsn string) (*DB, error) {
	if dsn == Memory {
		return Open(ctx, dsn)
	}
	return openWith(ctx, dsn, (*DB).checkMigrated)
}

// Migrate creates and migrates the tables, and returns their version before and after; 0 is
// none.
func Migrate(ctx context.Context, dsn string) (before, after int64, err error) {
	db, err := openWith(ctx, dsn, func(db *DB, ctx context.Context, dialect goose.Dialect) (err error) {
		before, err = db.versionOrNone(ctx)
		if err != nil {
			return err
		}
		return db.migrate(ctx, dialect)
	})
	if err != nil {
		return 0, 0, err
	}

	return before, db.version, db.Close()
}

func openWith(
	ctx context.Context, dsn string, tables func(*DB, context.Context, goose.Dialect) error,
) (*DB, error) {
	db, dialect, err := connect(ctx, dsn)
	if err != nil {
		return nil, err
	}

	db.Postgres = dialect == goose.DialectPostgres
	db.dsn = dsn
	db.server = &serverState{}
	db.probe = &probe{}
	if db.Path != "" {
		err = awaitWAL(ctx, db.Write)
	}
	if err == nil {
		err = tables(db, ctx, dialect)
	}
	if err != nil {
		return nil, errors.Join(Classify(err), db.Close())
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

	for _, other := range db.pools {
		err = errors.Join(err, other.Close())
	}

	err = errors.Join(err, db.probe.close(), db.link.close())
	if db.server != nil && db.server.lock != nil {
		err = errors.Join(err, db.server.lock.close())
		db.server.lock = nil
	}

	return err
}

// NewPool returns the same database with connections of its own for tasks: statements about
// tasks that wait or take long leave the connections of db to logins. They are closed with
// db. A database in memory has one connection for all.
func (db *DB) NewPool() (*DB, error) {
	pooled := *db
	pooled.pools = nil
	switch {
	case db.Postgres:
		pool, err := postgresPool(db.dsn, taskConnections, db.link)
		if err != nil {
			return nil, err
		}
		pooled.Read, pooled.Queue = pool, &FairQueue{size: taskReaders(taskConnections)}
		pooled.Write = pool
	case db.Path != "":
		read, err := readSQLite(db.Path)
		if err != nil {
			return nil, err
		}
		pooled.Read = read
		pooled.Queue = &FairQueue{size: readers}
	default:
		return db, nil
	}

	db.pools = append(db.pools, pooled.Read.DB)
	return &pooled, nil
}

// maxAttempts is how often a transaction is begun that ends in a deadlock.
const maxAttempts = 4

// InTx runs do in a transaction of Write. It commits if do returns
// nil and rolls back otherwise. do may be called again after what it did was
// undone, so it must leave nothing behind but the outcome of its last call.
func (db *DB) InTx(ctx context.Context, do func(*Tx) error) (err error) {
	ended := db.Write.observe(ctx, "TRANSACTION")
	defer func() { ended(err) }()
	if db.Write.group != nil {
		return db.Write.group.inTx(ctx, do)
	}

	for range maxAttempts {
		if err = db.Write.inTx(ctx, do); !deadlocked(err) {
			return err
		}
	}

	return err
}
