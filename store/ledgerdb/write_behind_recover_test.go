package ledgerdb

import (
	"bytes"
	"database/sql"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rialto/bridge/ledger"
)

// image copies the files of a database as a power cut would leave them.
func image(t *testing.T, path string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "rialto.db")
	for _, suffix := range []string{"", "-wal", ".pending", ".pending-wal", ".pending-keys"} {
		text, err := os.ReadFile(path + suffix)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(to+suffix, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// handles lists alice's tasks.
func handles(t *testing.T, db *Store) string {
	t.Helper()
	all, err := db.Summaries(t.Context(), "alice", ledger.Filter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, s := range all {
		list = append(list, s.TaskID)
	}
	return strings.Join(list, " ")
}

// TestTasksOfAKilledServerAreRecovered copies the files of a server before and after the
// database has a task.
func TestTasksOfAKilledServerAreRecovered(t *testing.T) {
	db := openWriteBehind(t)
	first := addEntry(t, db, endedEntry("the first"))
	if handles(t, db) != first.Handle {
		t.Fatal("the first is not there")
	}
	taken := image(t, db.sql.Path)
	var second *ledger.Record
	var killed string
	whileWriting(t, db, func() {
		second = addEntry(t, db, endedEntry("the second"))
		killed = image(t, db.sql.Path)
	})
	after := openServer(t, killed)
	if got, want := handles(t, after), second.Handle+" "+first.Handle; got != want {
		t.Errorf("killed before: got tasks %q, want %q", got, want)
	}
	if _, err := after.IndexTasks(t.Context(), 10); err != nil {
		t.Fatal(err)
	}
	if found, err := after.FindTasks(t.Context(), "alice", []string{"second"}, 10); len(found) != 1 || err != nil {
		t.Errorf("killed before: found %v, %v, want the second", found, err)
	}
	again := openServer(t, image(t, killed)) // killed again, with an empty file
	if got, want := handles(t, again), second.Handle+" "+first.Handle; got != want {
		t.Errorf("killed twice: got tasks %q, want %q", got, want)
	}
	dropped := open(t, taken) // whatever became of the first since
	if _, err := dropped.DropTasks(t.Context(), time.Now().Add(time.Hour), "", nil, 10); err != nil {
		t.Fatal(err)
	}
	closeAll(dropped)
	if got := handles(t, openServer(t, image(t, taken))); got != "" {
		t.Errorf("killed after: got tasks %q, want none, for they were dropped", got)
	}
}

// TestACommandRecoversTasksOfAKilledServer opens the files of a killed server as a command
// does, or a second server: such tasks were missing until a server started.
func TestACommandRecoversTasksOfAKilledServer(t *testing.T) {
	db := openWriteBehind(t)
	var left string
	var e *ledger.Record
	whileWriting(t, db, func() {
		e = addEntry(t, db, endedEntry("one"))
		left = image(t, db.sql.Path)
	})
	first := open(t, left)
	if got := handles(t, first); got != e.Handle {
		t.Errorf("the first: got tasks %q, want %q", got, e.Handle)
	}
	if files, err := filepath.Glob(left + ".pending*"); len(files) > 0 || err != nil {
		t.Errorf("got %v, %v, want no file", files, err)
	}
	server := openServer(t, left)
	whileWriting(t, server, func() {
		second := addEntry(t, server, endedEntry("two"))
		if got := handles(t, open(t, left)); got != e.Handle {
			t.Errorf("beside a server: got tasks %q, want %q, for the file is the server's", got, e.Handle)
		}
		if got, want := handles(t, open(t, image(t, left))), second.Handle+" "+e.Handle; got != want {
			t.Errorf("after the second server: got tasks %q, want %q", got, want)
		}
	})
}

// TestWhatIsMissingOfTheFileIsNamed removes the log of the file of a killed server, cuts it, removes the
// file, and changes a row. Tasks that were confirmed had gone without a word.
func TestWhatIsMissingOfTheFileIsNamed(t *testing.T) {
	for name, harm := range map[string]func(path string) error{
		"its log is removed": func(path string) error { return os.Remove(path + ".pending-wal") },
		"its log is cut":     func(path string) error { return os.Truncate(path+".pending-wal", 0) },
		"the file is removed": func(path string) error {
			return errors.Join(os.Remove(path+".pending"), os.Remove(path+".pending-wal"))
		},
		"a letter has changed": func(path string) error {
			file, err := sql.Open("sqlite", path+".pending")
			if err != nil {
				return err
			}
			_, err = file.Exec(`UPDATE groups SET records = CAST(replace(records, 'pending', 'pendinG') AS BLOB)`)
			return errors.Join(err, file.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			db := openWriteBehind(t)
			kept := addEntry(t, db, endedEntry("in the database"))
			if handles(t, db) != kept.Handle {
				t.Fatal("the first is not there")
			}
			var lost *ledger.Record
			var killed string
			whileWriting(t, db, func() {
				lost = addEntry(t, db, endedEntry("pending"))
				killed = image(t, db.sql.Path)
			})
			if err := harm(killed); err != nil {
				t.Fatal(err)
			}
			closeAll(open(t, killed)) // as a command does, which must leave this to the server
			server, log := open(t, killed), &strings.Builder{}
			writeBehind(t, server, slog.New(slog.NewTextHandler(log, nil)))
			if got := log.String(); !strings.Contains(got, "level=ERROR") || !strings.Contains(got, lost.Handle) || strings.Contains(got, kept.Handle) {
				t.Errorf("got %q in the log, want the handle %s alone", got, lost.Handle)
			}
			if got := handles(t, server); got != kept.Handle {
				t.Errorf("got tasks %q, want %q", got, kept.Handle)
			}
		})
	}
}

// TestALostRecoveryFileIsReported overwrites the file of a killed server, and puts another's in
// its place. Both were deleted without a word.
func TestALostRecoveryFileIsReported(t *testing.T) {
	db := openWriteBehind(t)
	var killed, other string
	whileWriting(t, db, func() {
		addEntry(t, db, endedEntry("one"))
		killed, other = image(t, db.sql.Path), image(t, db.sql.Path)
	})
	start := func(path, want string) {
		t.Helper()
		server, log := open(t, path), &strings.Builder{}
		writeBehind(t, server, slog.New(slog.NewTextHandler(log, nil)))
		if !strings.Contains(log.String(), want) || !strings.Contains(log.String(), "level=ERROR") {
			t.Errorf("got %q in the log, want %q", log.String(), want)
		}
		if kept, err := filepath.Glob(path + ".pending.damaged-*"); len(kept) == 0 || err != nil {
			t.Errorf("got %v, %v, want the file kept", kept, err)
		}
		e := addEntry(t, server, endedEntry("after"))
		if got := handles(t, server); got != e.Handle {
			t.Errorf("got tasks %q, want %q", got, e.Handle)
		}
	}
	if err := errors.Join(os.WriteFile(killed+".pending", bytes.Repeat([]byte("no database"), 1000), 0o600), os.Remove(killed+".pending-wal")); err != nil {
		t.Fatal(err)
	}
	start(killed, "the write-behind file is damaged")

	anew := filepath.Join(t.TempDir(), "rialto.db")
	closeAll(open(t, anew))
	for _, suffix := range []string{".pending", ".pending-wal"} {
		if err := os.Rename(other+suffix, anew+suffix); err != nil {
			t.Fatal(err)
		}
	}
	start(anew, "belongs to another database")
}
