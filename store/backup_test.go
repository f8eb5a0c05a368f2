package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/oauth/oauthtest"
	"rialto/store/sqldb"
)

// TestABackupHasTasksThatAreNotInTheDatabaseYet keeps the writer busy, so that a task that has
// ended is in the write-behind file only.
func TestABackupHasTasksThatAreNotInTheDatabaseYet(t *testing.T) {
	db := opened(t, filepath.Join(t.TempDir(), "rialto.db"))
	if _, err := db.LockServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := db.StartWriteBehind(t.Context(), slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "backup")
	now := time.Now()
	r := &ledger.Record{
		Handle: uuid.Must(uuid.NewV7()).String(), Owner: "alice", Agent: "agent", MessageID: "m", Created: now, Updated: now, Idle: true,
		Task: &a2a.Task{ID: "up", ContextID: "c", Status: a2a.Status{State: a2a.Completed}},
	}
	busy, free, written := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		written <- db.sql.InTx(context.Background(), func(*sqldb.Tx) error { close(busy); <-free; return nil })
	}()
	<-busy
	err := db.Ledger.AddTask(t.Context(), r, "r", 100)
	if err == nil {
		err = Backup(t.Context(), db.sql.Path, file)
	}
	close(free)
	if err := errors.Join(err, <-written); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "restored.db")
	if err := Restore(t.Context(), file, to); err != nil {
		t.Fatal(err)
	}
	all, err := opened(t, to).Ledger.Summaries(t.Context(), "alice", ledger.Filter{Limit: 10})
	if err != nil || len(all) != 1 || all[0].TaskID != r.Handle {
		t.Errorf("got %v, %v, want the task", all, err)
	}
}

// TestARestoreRefusesWhatItWouldDestroyOrCannotUse restores over data, and files that are damaged
// or of a newer version.
func TestARestoreRefusesWhatItWouldDestroyOrCannotUse(t *testing.T) {
	dir := t.TempDir()
	path, file := filepath.Join(dir, "rialto.db"), filepath.Join(dir, "backup")
	db := opened(t, path)
	if err := Backup(t.Context(), path, file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(dir, "damaged")
	for i := 8192; i < len(text); i += 512 { // pages after the first
		text[i] ^= 0xff
	}
	if err := os.WriteFile(damaged, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := db.sql.Write.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, $1)`, true); err != nil {
		t.Fatal(err)
	}
	newer := filepath.Join(dir, "newer")
	if err := sqldb.CopyFile(t.Context(), path, newer); err != nil {
		t.Fatal(err)
	}
	changed := func(name, statement string) string {
		copied := filepath.Join(dir, name)
		if err := sqldb.CopyFile(t.Context(), file, copied); err != nil {
			t.Fatal(err)
		}
		raw, err := sql.Open("sqlite", copied)
		if err == nil {
			_, err = raw.ExecContext(t.Context(), statement)
		}
		if err != nil {
			t.Fatal(err)
		}
		raw.Close()
		return copied
	}
	noDatabase := filepath.Join(dir, "text")
	if err := os.WriteFile(noDatabase, bytes.Repeat([]byte("no database. "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(dir, "left.db")
	if err := os.WriteFile(left+".pending", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ file, to, want string }{
		{file, path, "is not overwritten"},
		{file, left, "left.db.pending exists"},
		{damaged, filepath.Join(dir, "1.db"), "damaged"},
		{newer, filepath.Join(dir, "2.db"), "newer version of Rialto"},
		{noDatabase, filepath.Join(dir, "3.db"), "not a database"},
		{"/dev/zero", filepath.Join(dir, "4.db"), "not a regular file"},
		{changed("trigger", `CREATE TRIGGER a AFTER INSERT ON accounts BEGIN DELETE FROM accounts; END`), filepath.Join(dir, "5.db"), "trigger a"},
		{changed("view", `CREATE VIEW v AS SELECT 1`), filepath.Join(dir, "6.db"), "view v"},
		{changed("table", `CREATE TABLE other (a TEXT)`), filepath.Join(dir, "7.db"), "table other"},
		{changed("without", `DROP TABLE grants`), filepath.Join(dir, "8.db"), "table grants"},
	} {
		err := Restore(t.Context(), test.file, test.to)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s to %s: got %v, want %q", test.file, test.to, err, test.want)
		}
		if _, err := os.Stat(test.to); err == nil && test.to != path {
			t.Errorf("%s was made", test.to)
		}
	}
	if rest, _ := filepath.Glob(filepath.Join(dir, ".rialto-backup-*")); len(rest) > 0 {
		t.Errorf("left behind: %v", rest)
	}
}

// TestARestoreEndsWhenItIsStopped stops a restore before it has copied the file.
func TestARestoreEndsWhenItIsStopped(t *testing.T) {
	file := filepath.Join(t.TempDir(), "backup")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	err := duplicate(ctx, file, filepath.Join(t.TempDir(), "copy"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that it ended", err)
	}
}

// TestARestoreIntoPostgreSQLWantsItEmpty restores twice.
func TestARestoreIntoPostgreSQLWantsItEmpty(t *testing.T) {
	dir, dsn := t.TempDir(), oauthtest.PostgresSchema(t)
	path, file := filepath.Join(dir, "rialto.db"), filepath.Join(dir, "backup")
	db := opened(t, path)
	if _, err := db.sql.Write.ExecContext(t.Context(), `INSERT INTO used_once (hash, expires) VALUES ($1, 1)`, "with a \x00 in it"); err != nil {
		t.Fatal(err)
	}
	if err := Backup(t.Context(), path, file); err != nil {
		t.Fatal(err)
	}
	if err := Restore(t.Context(), file, dsn); err != nil {
		t.Fatal(err)
	}
	if err := Restore(t.Context(), file, dsn); !errors.Is(err, sqldb.ErrNotEmpty) {
		t.Errorf("got %v, want %v", err, sqldb.ErrNotEmpty)
	}
}

func opened(t *testing.T, dsn string) *DB {
	t.Helper()
	db, err := Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}
