package sqldb

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"

	"rialto/oauth/oauthtest"
)

// TestMigrationsAreRunWhole fails for a file whose directions to goose would be
// read as comments: a way back, or a statement that is set apart.
func TestMigrationsAreRunWhole(t *testing.T) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil || len(names) == 0 {
		t.Fatalf("got %d files, %v", len(names), err)
	}
	for _, name := range names {
		text, err := migrations.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if rest, ok := strings.CutPrefix(string(text), "-- +goose Up\n"); !ok || strings.Contains(rest, "+goose") {
			t.Errorf("%s: want one direction to goose, Up, in its first line", name)
		}
	}
}

// TestOpeningTakesLittleMemory: goose's parser took 8 MB, of a program that runs in 30.
func TestOpeningTakesLittleMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	open(t, Memory)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 2<<20 {
		t.Errorf("got %d bytes to open a new database, want at most 2 MB", got)
	}
}

// TestGuessesAreCarriedOver migrates accounts that count their guesses, as version 5 did.
func TestGuessesAreCarriedOver(t *testing.T) {
	for engine, dsn := range map[string]string{"SQLite": filepath.Join(t.TempDir(), "rialto.db"), "PostgreSQL": ""} {
		t.Run(engine, func(t *testing.T) {
			if engine == "PostgreSQL" {
				dsn = oauthtest.PostgresSchema(t)
			}
			old, err := openWith(t.Context(), dsn, func(db *DB, ctx context.Context, dialect goose.Dialect) error {
				steps, err := migrationsOf(dialect)
				if err != nil {
					return err
				}
				p, err := goose.NewProvider(dialect, db.Write.DB, nil, goose.WithDisableGlobalRegistry(true), goose.WithGoMigrations(steps...))
				if err != nil {
					return err
				}
				_, err = p.UpTo(ctx, 5)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			err = Exec(t.Context(), old.Write, `INSERT INTO accounts (id, name, password, created, guesses) VALUES ('a', 'ada', '', 1, 90), ('b', 'bob', '', 1, 0)`)
			if err := errors.Join(err, old.Close()); err != nil {
				t.Fatal(err)
			}
			var key string
			var n, all int
			err = open(t, dsn).Read.QueryRowContext(t.Context(), `SELECT MAX(key), MAX(n), COUNT(*) FROM guesses`).Scan(&key, &n, &all)
			if err != nil || key != "a" || n != 90 || all != 1 {
				t.Errorf("got %d rows, the last with %d guesses for %q, %v; want 90 for a alone", all, n, key, err)
			}
		})
	}
}

// TestTablesAreOnlyChecked opens databases without tables, with those of today, and with
// older ones.
func TestTablesAreOnlyChecked(t *testing.T) {
	for engine, dsn := range map[string]string{"SQLite": filepath.Join(t.TempDir(), "rialto.db"), "PostgreSQL": ""} {
		t.Run(engine, func(t *testing.T) {
			if engine == "PostgreSQL" {
				dsn = oauthtest.PostgresSchema(t)
			}
			refused := func(what string) {
				t.Helper()
				if _, err := OpenMigrated(t.Context(), dsn); err == nil || !strings.Contains(err.Error(), "rialto migrate") {
					t.Errorf("%s: got %v, want a refusal", what, err)
				}
			}
			refused("no tables")
			before, after, err := Migrate(t.Context(), dsn)
			if err != nil || before != 0 || after == 0 {
				t.Fatalf("got %d, %d, %v", before, after, err)
			}
			db, err := OpenMigrated(t.Context(), dsn)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Write.ExecContext(t.Context(), `DELETE FROM goose_db_version WHERE version_id = $1`, after); err != nil {
				t.Fatal(err)
			}
			refused("older tables")
		})
	}
}

// TestUnknownTablesAreNamed opens databases of a newer program, and of one from before the migrations were
// numbered anew. That one was called newer, too: "to version 38, this program knows them up to 4".
func TestUnknownTablesAreNamed(t *testing.T) {
	for engine, dsn := range map[string]string{"SQLite": filepath.Join(t.TempDir(), "rialto.db"), "PostgreSQL": ""} {
		t.Run(engine, func(t *testing.T) {
			if engine == "PostgreSQL" {
				dsn = oauthtest.PostgresSchema(t)
			}
			db, err := Open(t.Context(), dsn)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { db.Close() })
			for _, tables := range []struct{ statement, want string }{
				{`INSERT INTO goose_db_version (version_id, is_applied) VALUES (38, true)`, "a newer version of Rialto has changed the tables (to version 38"},
				{`ALTER TABLE replicas DROP COLUMN agents`, "an older version of Rialto made the tables (version 38"},
				{`DELETE FROM goose_db_version WHERE version_id > 4`, "an older version of Rialto made the tables (version 4"},
			} {
				if _, err := db.Write.ExecContext(t.Context(), tables.statement); err != nil {
					t.Fatal(err)
				}
				for name, open := range map[string]func(context.Context, string) (*DB, error){"Open": Open, "OpenMigrated": OpenMigrated} {
					if _, err := open(t.Context(), dsn); err == nil || !strings.Contains(err.Error(), tables.want) {
						t.Errorf("%s: got %v, want that %s", name, err, tables.want)
					}
				}
			}
		})
	}
}
