package sqldb

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

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
	provider, err := goose.NewProvider(dialect, db.Write.DB, nil, options...)
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
