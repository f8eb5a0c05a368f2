package sqldb

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"rialto/internal/dberr"
)

// TestAFullDiskIsFoundByAProbe fills the disk of a database, and makes room again.
func TestAFullDiskIsFoundByAProbe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
		t.Skip("no small disk can be mounted here:", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	db := open(t, filepath.Join(dir, "rialto.db"))
	probed(t, db, true)
	full := filepath.Join(dir, "full")
	if err := os.WriteFile(full, make([]byte, 16<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("got %v, want a full disk", err)
	}
	probed(t, db, false)
	err := mark(t.Context(), db, string(make([]byte, 1<<20)))
	if _, is := dberr.As(err); !is {
		t.Errorf("a write: got %v", err)
	}
	if err := os.Remove(full); err != nil {
		t.Fatal(err)
	}
	probed(t, db, true)
}

// probed asks now, whatever was found a moment ago.
func probed(t *testing.T, db *DB, usable bool) {
	t.Helper()
	db.probe.at = time.Time{}
	if database, migrations := db.Probe(t.Context()); (database == nil) != usable || migrations != nil {
		t.Errorf("got %v, %v, want usable %t", database, migrations, usable)
	}
}
