package sqldb

import (
	"io/fs"
	"runtime"
	"strings"
	"testing"
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
