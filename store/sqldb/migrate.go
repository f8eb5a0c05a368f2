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

	"rialto/internal/dberr"
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

	options := []goose.ProviderOption{
		goose.WithDisableGlobalRegistry(true),
		goose.WithGoMigrations(steps...),
	}
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
	if _, err := db.knownVersion(ctx, steps); err != nil {
		return err
	}

	for range attempts {
		_, err = provider.Up(ctx)
		if err == nil {
			return nil
		}
	}

	return fmt.Errorf("migrating: %w", err)
}

// checkMigrated refuses tables that are older or newer than this program.
func (db *DB) checkMigrated(ctx context.Context, dialect goose.Dialect) error {
	steps, err := migrationsOf(dialect)
	if err != nil {
		return err
	}

	version, err := db.knownVersion(ctx, steps)
	if err == nil && version < db.version {
		err = fmt.Errorf(
			"the tables are of version %d, and this program needs %d: run \"rialto migrate\", or set migrate: auto",
			version,
			db.version,
		)
	}

	return err
}

// versionOrNone returns the version of the tables; 0 if there are none yet.
func (db *DB) versionOrNone(ctx context.Context) (int64, error) {
	version, err := schemaVersion(ctx, db.Write.DB)
	if err = Classify(err); err == nil {
		return version, nil
	}
	if _, away := dberr.As(err); away || ctx.Err() != nil {
		return 0, err
	}
	return 0, nil // there is no such table
}

// numberedAnew is the first version whose tables have a column that all from before the migrations were
// numbered anew lack: replicas.agents.
const numberedAnew = 2

// knownVersion returns the version of the tables; 0 if there are none yet. It refuses tables of other
// programs. A newer one might not read what this one writes.
func (db *DB) knownVersion(ctx context.Context, steps []*goose.Migration) (int64, error) {
	for _, s := range steps {
		db.version = max(db.version, s.Version)
	}

	version, err := db.versionOrNone(ctx)
	if err != nil {
		return 0, err
	}
	if version >= numberedAnew {
		_, err = db.Write.DB.ExecContext(ctx, `SELECT agents FROM replicas LIMIT 1`)
		err = Classify(err)
	}

	_, away := dberr.As(err)
	switch {
	case err == nil && version > db.version:
		err = fmt.Errorf(
			"a newer version of Rialto has changed the tables (to version %d, this program knows them up to %d): start the newer version, or restore a backup from before the upgrade",
			version, db.version,
		)
	case err != nil && !away && ctx.Err() == nil:
		err = fmt.Errorf(
			"an older version of Rialto made the tables (version %d of numbers that are no longer used), "+
				"and this program cannot bring them up to date: start the older version, or name another database",
			version,
		)
	}

	return version, err
}

// otherEngine is in the name of the files that are not for an engine.
var otherEngine = map[goose.Dialect]string{
	goose.DialectSQLite3:  "postgres",
	goose.DialectPostgres: "sqlite",
}

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
		steps = append(
			steps,
			goose.NewGoMigration(
				version,
				&goose.GoFunc{RunTx: func(ctx context.Context, t *sql.Tx) error {
					_, err := t.ExecContext(ctx, string(text))
					return err
				}},
				nil,
			),
		)
	}

	return steps, nil
}

// schemaVersion returns the version of the tables.
func schemaVersion(ctx context.Context, db *sql.DB) (version int64, err error) {
	err = db.QueryRowContext(ctx, `
		SELECT COALESCE(max(version_id), 0) FROM goose_db_version WHERE is_applied`).Scan(&version)
	return version, err
}
