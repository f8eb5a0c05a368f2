package store_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rialto/bridge/ledger"
	"rialto/bridge/operator"
	"rialto/oauth/oauthtest"
	"rialto/store"
)

// TestLandedMigrationsNeverChange compares the migrations with their digests, and looks for a database of
// each landing in testdata/landed: two accounts, a client, two tasks. One was changed in place, and
// databases from before it lacked columns.
func TestLandedMigrationsNeverChange(t *testing.T) {
	list, err := os.ReadFile("testdata/landed/migrations.sha256")
	if err != nil {
		t.Fatal(err)
	}
	var last string
	for line := range strings.Lines(string(list)) {
		digest, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		text, err := os.ReadFile(filepath.Join("sqldb/migrations", name))
		if got := fmt.Sprintf("%x", sha256.Sum256(text)); err != nil || got != digest {
			t.Errorf("%s has landed and must not change (%v): write a new migration", name, err)
		}
		last = name[:4]
	}
	for _, kept := range []string{".sqlite.gz", ".postgres.sql"} {
		if _, err := os.Stat("testdata/landed/" + last + kept); err != nil {
			t.Errorf("keep a database of the latest migration: %v", err)
		}
	}
	names, err := filepath.Glob("sqldb/migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !bytes.Contains(list, []byte("  "+filepath.Base(name)+"\n")) {
			t.Errorf("%s is new: add its line of sha256sum to testdata/landed/migrations.sha256, and a database", name)
		}
	}
}

// TestDatabasesOfEarlierLandingsAreUpgraded opens databases that earlier programs made. Afterwards they hold
// what they held, in the tables that a new database has.
func TestDatabasesOfEarlierLandingsAreUpgraded(t *testing.T) {
	names, err := filepath.Glob("testdata/landed/0*")
	if err != nil || len(names) == 0 {
		t.Fatalf("got %v, %v", names, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			kept, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			place, tables := keptInSQLite, tablesOfSQLite
			if strings.HasSuffix(name, ".postgres.sql") {
				place, tables = keptInPostgres, tablesOfPostgres
			}
			dsn, empty := place(t, kept), place(t, nil)
			open(t, empty).Close()
			if strings.HasSuffix(name, ".sqlite.gz") { // which is a backup
				if err := store.Restore(t.Context(), dsn, filepath.Join(t.TempDir(), "restored.db")); err != nil {
					t.Error(err)
				}
			}
			holdsWhatItHeld(t, open(t, dsn))
			got, want := tables(t, dsn), tables(t, empty)
			for _, line := range slices.Concat(got, want) {
				if slices.Contains(got, line) != slices.Contains(want, line) {
					t.Errorf("in a new database: %v: %s", slices.Contains(want, line), line)
				}
			}
		})
	}
}

func holdsWhatItHeld(t *testing.T, db *store.DB) {
	t.Helper()
	accounts, err := db.OAuthLists.ListAccounts(t.Context(), operator.AccountFilter{}, operator.Rows{Limit: 10})
	if err != nil || len(accounts) != 2 || accounts[0].Name != "alice" || accounts[1].Name != "bob" {
		t.Errorf("got the accounts %v, %v", accounts, err)
	}
	alice, err := db.OAuth.Accounts.Account(t.Context(), "alice")
	if err != nil || !alice.Admin {
		t.Fatalf("got %+v, %v", alice, err)
	}
	tasks, err := db.Ledger.Page(t.Context(), alice.ID, ledger.PageQuery{Limit: 10, MaxBytes: 1 << 20})
	if err != nil || len(tasks.Records) != 1 || tasks.Records[0].Asked != "How many claims are open?" {
		t.Errorf("got the tasks %+v, %v", tasks, err)
	}
	clients, err := db.OAuth.Clients.Clients(t.Context(), "", 10)
	if err != nil || len(clients) != 1 || clients[0].Name != "App" {
		t.Errorf("got the clients %+v, %v", clients, err)
	}
	keys, err := db.OAuth.Keys.Keys(t.Context(), time.Unix(0, 0))
	if err != nil || len(keys) == 0 {
		t.Errorf("got %d keys, %v", len(keys), err)
	}
	if chain, err := db.Records.VerifyEvents(t.Context()); err != nil || chain.Events < 8 {
		t.Errorf("got the audit log %+v, %v", chain, err)
	}
}

func keptInSQLite(t *testing.T, kept []byte) string {
	path := filepath.Join(t.TempDir(), "rialto.db")
	if kept == nil {
		return path
	}
	r, err := gzip.NewReader(bytes.NewReader(kept))
	if err != nil {
		t.Fatal(err)
	}
	file, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func keptInPostgres(t *testing.T, kept []byte) string {
	dsn := oauthtest.PostgresSchema(t)
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(context.Background(), string(kept)); err != nil {
		t.Fatal(err)
	}
	return dsn
}

func tablesOfSQLite(t *testing.T, dsn string) []string {
	return column(t, "sqlite", dsn, `SELECT name || ': ' || COALESCE(sql, '') FROM sqlite_master ORDER BY name`)
}

func tablesOfPostgres(t *testing.T, dsn string) []string {
	return column(t, "pgx", dsn, `
		SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || COALESCE(column_default, '')
		FROM information_schema.columns WHERE table_schema = current_schema()
		UNION ALL SELECT replace(indexdef, current_schema() || '.', '') FROM pg_indexes WHERE schemaname = current_schema()
		UNION ALL SELECT proname || ' ' || prosrc FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
		UNION ALL SELECT replace(pg_get_triggerdef(oid), current_schema() || '.', '') FROM pg_trigger WHERE NOT tgisinternal
		AND tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace)
		UNION ALL SELECT conname || ' ' || replace(pg_get_constraintdef(oid), current_schema() || '.', '') FROM pg_constraint
		WHERE connamespace = current_schema()::regnamespace AND contype <> 't'
		ORDER BY 1`)
}

// column returns the rows of a query with one column.
func column(t *testing.T, driver, dsn, query string) (all []string) {
	db, err := sql.Open(driver, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	return all
}
