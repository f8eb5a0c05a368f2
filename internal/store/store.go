// Package store keeps Rialto's state in SQLite or PostgreSQL. It implements
// the stores that oauth and bridge declare, and decides nothing: what may
// happen is said there, what is atomic is done here.
//
// Both engines run the same statements. A state change is one statement that
// names the state it leaves (compare and swap), or a transaction around a few
// of them, so READ COMMITTED is enough. Only a transaction that PostgreSQL ends
// to resolve a deadlock is begun again. Columns
// are TEXT or BIGINT, times are milliseconds since 1970.
package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"rialto/internal/store/writebehind"
)

// DB is an open database. Its methods may be called concurrently.
type DB struct {
	read   *pool
	write  *pool       // the same as read on PostgreSQL and in memory
	holder *sql.DB     // keeps a database in memory; nil for others
	path   string      // of a SQLite file; "" of others
	lock   *serverLock // of a server; nil before Alone
	alone  bool        // what Alone said

	postgres bool // the engine, where statements differ: see index.go

	noticed chan struct{} // ready when there is something for webhooks
	fresh   fresh
	ended   *writebehind.Buffer[*endedTask] // nil if tasks are not written behind
}

//go:embed migrations/*.sql
var migrations embed.FS

// Open opens the database that dsn names, creating and migrating it as needed:
// "postgres://…", "sqlite:PATH", the path of a SQLite file, or Memory. What a killed
// server has left beside a SQLite file is in the database then, unless a server lives.
func Open(ctx context.Context, dsn string) (*DB, error) {
	db, dialect, err := connect(ctx, dsn)
	if err != nil {
		return nil, err
	}
	db.noticed, db.postgres = make(chan struct{}, 1), dialect == goose.DialectPostgres
	err = db.migrate(ctx, dialect)
	if err == nil {
		err = db.takeLeft(ctx)
	}
	if err != nil {
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
	var err error
	if db.ended != nil {
		err = db.ended.Close()
	}
	err = errors.Join(err, db.read.Close())
	if db.write != db.read {
		err = errors.Join(err, db.write.Close())
	}
	if db.holder != nil {
		err = errors.Join(err, db.holder.Close())
	}
	if db.lock != nil {
		err = errors.Join(err, db.lock.close())
	}
	return err
}

// Ping says whether the database answers.
func (db *DB) Ping(ctx context.Context) error { return db.read.PingContext(ctx) }

// migrate brings the tables to the newest version. On PostgreSQL a lock keeps replicas
// that start together from migrating together. On SQLite there is no such lock: the
// process that loses tries again, and finds the tables.
func (db *DB) migrate(ctx context.Context, dialect goose.Dialect) error {
	steps, err := migrationsOf(dialect)
	if err != nil {
		return err
	}
	options := []goose.ProviderOption{goose.WithDisableGlobalRegistry(true), goose.WithGoMigrations(steps...)}
	attempts := 4
	if dialect == goose.DialectPostgres {
		attempts = 1
		locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 120))
		if err != nil {
			return err
		}
		options = append(options, goose.WithSessionLocker(locker))
	}
	provider, err := goose.NewProvider(dialect, db.write.DB, nil, options...)
	if err != nil {
		return fmt.Errorf("reading migrations: %w", err)
	}
	for range attempts {
		if _, err = provider.Up(ctx); err == nil {
			return nil
		}
	}
	return fmt.Errorf("migrating: %w", err)
}

// otherEngine is in the name of the files that are not for an engine.
var otherEngine = map[goose.Dialect]string{goose.DialectSQLite3: "postgres", goose.DialectPostgres: "sqlite"}

// migrationsOf returns the migrations of an engine. The engines split the files into
// statements: goose's own parser takes 4 MB for each file and each statement in it.
func migrationsOf(dialect goose.Dialect) (steps []*goose.Migration, err error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if strings.Contains(name, otherEngine[dialect]) {
			continue
		}
		version, err := goose.NumericComponent(name)
		if err != nil {
			return nil, err
		}
		text, err := migrations.ReadFile(name)
		if err != nil {
			return nil, err
		}
		steps = append(steps, goose.NewGoMigration(version, &goose.GoFunc{RunTx: func(ctx context.Context, t *sql.Tx) error {
			_, err := t.ExecContext(ctx, string(text))
			return err
		}}, nil))
	}
	return steps, nil
}

// tries is how often a transaction is begun whose turn others took.
const tries = 4

// inTx runs do in a transaction of the write handle. It commits if do returns
// nil and rolls back otherwise. do may be called again after what it did was
// undone, so it must leave nothing behind but the outcome of its last call.
func (db *DB) inTx(ctx context.Context, do func(*tx) error) (err error) {
	if db.write.group != nil {
		return db.write.group.inTx(ctx, do)
	}
	for range tries {
		if err = db.write.inTx(ctx, do); !deadlocked(err) {
			return err
		}
	}
	return err
}

// querier is what a handle and a transaction have in common.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) scanner
}

// changed runs a statement and tells how many rows it changed.
func changed(ctx context.Context, q querier, query string, args ...any) (int64, error) {
	done, err := q.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return done.RowsAffected()
}

// ms renders a time for a BIGINT column; the zero time is 0.
func ms(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// at is the reverse of ms.
func at(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// words splits a column that holds a list with a space between; nil is none.
func words(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Fields(s)
}
