package ledgerdb

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/operator"
	"rialto/internal/dberr"
	"rialto/store/sqldb"
)

// openServer opens a database as a server does that is alone on it.
func openServer(t *testing.T, path string) *Store {
	t.Helper()
	db := open(t, path)
	writeBehind(t, db)
	return db
}

func writeBehind(t testing.TB, db *Store, log ...*slog.Logger) {
	t.Helper()
	log = append(log, slog.New(slog.DiscardHandler))
	if alone, err := db.sql.LockServer(t.Context()); !alone || err != nil {
		t.Fatalf("LockServer: got %v, %v", alone, err)
	}
	if err := db.StartWriteBehind(t.Context(), log[0]); err != nil {
		t.Fatal(err)
	}
}

func openWriteBehind(t *testing.T) *Store {
	return openServer(t, filepath.Join(t.TempDir(), "rialto.db"))
}

// endedEntry is a task of alice's that has ended and says so.
func endedEntry(said string) *ledger.Record {
	now := time.Now()
	return &ledger.Record{
		Handle: uuid.Must(uuid.NewV7()).String(), Owner: "alice", Agent: "agent", MessageID: "m", Created: now, Updated: now, Idle: true,
		Task: &a2a.Task{ID: "up", ContextID: "c", Status: a2a.Status{State: a2a.Completed}, Artifacts: []a2a.Artifact{{ID: "a", Parts: []a2a.Part{a2a.TextPart(said)}}}},
	}
}

var endedLease = "r"

func addEntry(t *testing.T, db *Store, e *ledger.Record) *ledger.Record {
	t.Helper()
	if err := db.AddTask(t.Context(), e, endedLease, 100); err != nil {
		t.Fatal(err)
	}
	return e
}

// whileWriting has the writer busy while do runs: what ends meanwhile is in the
// file, and not in the database.
func whileWriting(t *testing.T, db *Store, do func()) {
	t.Helper()
	busy, free := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := db.sql.InTx(context.Background(), func(*sqldb.Tx) error { close(busy); <-free; return nil }); err != nil {
			t.Error(err)
		}
	})
	<-busy
	do()
	close(free)
	wg.Wait()
}

// waitsOr returns when n callers wait for the writer, or something is done.
func waitsOr(db *Store, n int, done <-chan struct{}) {
	for began := time.Now(); time.Since(began) < 10*time.Second; {
		select {
		case <-done:
			return
		default:
		}
		if db.sql.Waiting() >= n {
			return
		}
		runtime.Gosched()
	}
}

// TestWriteBehindIsForOneServer opens a database twice: the second server would use the file
// of the first.
func TestWriteBehindIsForOneServer(t *testing.T) {
	first := openWriteBehind(t)
	second := open(t, first.sql.Path)
	if err := second.StartWriteBehind(t.Context(), slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a server that did not ask whether it is alone: got no error")
	}
	if _, err := second.sql.LockServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := second.StartWriteBehind(t.Context(), slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a server that is not alone: got no error")
	}
}

func TestAPendingTaskIsRead(t *testing.T) {
	db := openWriteBehind(t)
	whileWriting(t, db, func() {
		e := addEntry(t, db, endedEntry("one"))
		if got, err := db.Task(t.Context(), "alice", e.Handle); err != nil || got.Task.Artifacts[0].Parts[0].Content != a2a.Text("one") || !got.Idle || !got.Created.Equal(e.Created.Truncate(time.Millisecond)) {
			t.Errorf("got %+v, %v, want it as it was added", got, err)
		}
		if _, err := db.Task(t.Context(), "bob", e.Handle); !errors.Is(err, ledger.ErrNoTask) {
			t.Errorf("another's: got %v, want ErrNoTask", err)
		}
	})
}

// TestReadsOfTasksSeePendingTasks calls each method that reads finished tasks right after
// one has ended.
func TestReadsOfTasksSeePendingTasks(t *testing.T) {
	db := openWriteBehind(t)
	for name, sees := range map[string]func(e *ledger.Record) (bool, error){
		"Tasks": func(e *ledger.Record) (bool, error) { return strings.Contains(handles(t, db), e.Handle), nil },
		"FindTasks": func(e *ledger.Record) (bool, error) {
			found, err := db.FindTasks(t.Context(), "alice", []string{"findtasks"}, 10)
			return len(found) == 1 && found[0].TaskID == e.Handle, err
		},
		"HasContext": func(e *ledger.Record) (bool, error) {
			return db.HasContext(t.Context(), "alice", "agent", e.ContextID())
		},
		"Page": func(e *ledger.Record) (bool, error) {
			p, err := db.Page(t.Context(), "alice", ledger.PageQuery{Limit: 1})
			return err == nil && len(p.Records) == 1 && p.Records[0].Handle == e.Handle, err
		},
		"ListTasks": func(e *ledger.Record) (bool, error) {
			all, err := db.ListTasks(t.Context(), operator.TaskFilter{}, operator.Rows{Limit: 1})
			return len(all) == 1 && all[0].ID == e.Handle, err
		},
		"AnyTask": func(e *ledger.Record) (bool, error) {
			_, err := db.AnyTask(t.Context(), e.Handle)
			return err == nil, err
		},
		"TaskNamed": func(e *ledger.Record) (bool, error) {
			handle, err := db.TaskNamed(t.Context(), "alice", "agent", e.Name)
			return handle == e.Handle, err
		},
		"ContinueTask": func(e *ledger.Record) (bool, error) {
			return true, db.ContinueTask(t.Context(), e, "m2", endedLease, time.Now())
		},
		"DueTasks": func(*ledger.Record) (bool, error) {
			e := endedEntry("due")
			e.Task.Status.State = a2a.AuthRequired
			addEntry(t, db, e)
			due, err := db.DueTasks(t.Context(), time.Now().Add(time.Hour), 10)
			return len(due) == 1 && due[0].Handle == e.Handle, err
		},
	} {
		e := endedEntry(name)
		e.Name, e.Task.ContextID = name, "context of "+name
		if name == "ContinueTask" {
			e.Task.Status.State = a2a.InputRequired
		}
		addEntry(t, db, e)
		if ok, err := sees(e); !ok || err != nil {
			t.Errorf("%s: got %v, %v, want to see the task", name, ok, err)
		}
	}
}

// TestAReadDuringATransactionSeesPendingTasks reads while a transaction runs that began
// before the task ended.
func TestAReadDuringATransactionSeesPendingTasks(t *testing.T) {
	db := openWriteBehind(t)
	var wg sync.WaitGroup
	whileWriting(t, db, func() {
		e := endedEntry("one")
		e.Task.Status.State = a2a.InputRequired
		addEntry(t, db, e)
		wg.Go(func() {
			if err := db.ContinueTask(context.Background(), e, "m2", endedLease, time.Now()); err != nil {
				t.Errorf("ContinueTask: %v", err)
			}
		})
		waitsOr(db, 1, nil)
	})
	wg.Wait()
}

// TestATransactionThatFailsLosesNoTask lets transactions fail while tasks end.
func TestATransactionThatFailsLosesNoTask(t *testing.T) {
	db := openWriteBehind(t)
	refused := errors.New("refused")
	var want []string
	for i := range 5 {
		whileWriting(t, db, func() { want = append(want, addEntry(t, db, endedEntry(fmt.Sprint("before ", i))).Handle) })
		if err := db.sql.InTx(t.Context(), func(*sqldb.Tx) error { return refused }); err != refused {
			t.Errorf("got %v, want what was refused", err)
		}
		for j := range 3 {
			e := addEntry(t, db, endedEntry(fmt.Sprint("after ", i, j)))
			want = append(want, e.Handle)
			if _, err := db.Task(t.Context(), "alice", e.Handle); err != nil {
				t.Error(err)
			}
		}
	}
	got := handles(t, openServer(t, image(t, db.sql.Path)))
	for _, h := range want {
		if !strings.Contains(got, h) {
			t.Errorf("task %s is lost", h)
		}
	}
}

// TestTasksAboveTheBoundsAreWrittenDirectly adds more than the file takes, while the
// database takes nothing.
func TestTasksAboveTheBoundsAreWrittenDirectly(t *testing.T) {
	db := openWriteBehind(t)
	want := make([]string, 100)
	var wg sync.WaitGroup
	whileWriting(t, db, func() {
		for i := range want {
			wg.Go(func() {
				e := endedEntry(strings.Repeat("x", 100_000+i%2*50_000))
				if err := db.AddTask(context.Background(), e, endedLease, 100); err != nil {
					t.Error(err)
				}
				want[i] = e.Handle
			})
		}
		waitsOr(db, len(want)/2, nil) // those of 150,000 bytes
	})
	wg.Wait()
	got := handles(t, db)
	for _, h := range want {
		if !strings.Contains(got, h) {
			t.Errorf("task %s is lost", h)
		}
	}
}

// TestAFailingDatabaseIsLoggedAndReported makes the database refuse finished tasks. A list
// failed with an error that no caller and no log showed.
func TestAFailingDatabaseIsLoggedAndReported(t *testing.T) {
	said := make(lines, 100)
	db := open(t, filepath.Join(t.TempDir(), "rialto.db"))
	writeBehind(t, db, slog.New(slog.NewTextHandler(said, nil)))
	execute := func(statement string) {
		t.Helper()
		if _, err := db.sql.Write.DB.Exec(statement); err != nil { // not through the group
			t.Fatal(err)
		}
	}
	execute("CREATE TRIGGER full BEFORE INSERT ON tasks BEGIN SELECT RAISE(ABORT, 'disk full'); END")
	e := addEntry(t, db, endedEntry("one"))
	for _, list := range []func() error{
		func() error { _, err := db.Summaries(t.Context(), "alice", ledger.Filter{Limit: 10}); return err },
		func() error {
			_, err := db.ListTasks(t.Context(), operator.TaskFilter{}, operator.Rows{Limit: 1})
			return err
		},
	} {
		if err, is := dberr.As(list()); !is || !strings.Contains(err.Text(), "Try again in a moment") || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("got %v, want a request to try again", err)
		}
	}
	if got := <-said; !strings.Contains(got, "level=ERROR") || !strings.Contains(got, "disk full") {
		t.Errorf("got the log %q, want why", got)
	}
	execute("DROP TRIGGER full")
	if got := <-said; !strings.Contains(got, "again") {
		t.Errorf("got the log %q, want that it works again", got)
	}
	if got := handles(t, db); got != e.Handle {
		t.Errorf("got tasks %q, want %q", got, e.Handle)
	}
}

// TestAnOverloadedDatabaseIsNotLoggedAsFailing fills the queue of writers: the log said that
// the database fails, as for a full disk.
func TestAnOverloadedDatabaseIsNotLoggedAsFailing(t *testing.T) {
	said := make(lines, 100)
	db := open(t, filepath.Join(t.TempDir(), "rialto.db"))
	writeBehind(t, db, slog.New(slog.NewTextHandler(said, nil)))
	var e *ledger.Record
	var wg sync.WaitGroup
	whileWriting(t, db, func() {
		for range sqldb.MaxWaiting {
			wg.Go(func() {
				if err := db.sql.InTx(context.Background(), func(*sqldb.Tx) error { return nil }); err != nil {
					t.Error(err)
				}
			})
		}
		waitsOr(db, sqldb.MaxWaiting, nil)
		e = addEntry(t, db, endedEntry("one"))
		for range 3 {
			_, err := db.Summaries(t.Context(), "alice", ledger.Filter{Limit: 10})
			if away, is := dberr.As(err); !is || !strings.Contains(away.Text(), "overloaded") || !errors.Is(err, sqldb.ErrBusy) {
				t.Errorf("got %v, want a request to try again", err)
			}
		}
	})
	wg.Wait()
	if got := handles(t, db); got != e.Handle {
		t.Errorf("got tasks %q, want %q", got, e.Handle)
	}
	if got := <-said; !strings.Contains(got, "level=WARN") || strings.Contains(got, "cannot be written") || len(said) > 0 {
		t.Errorf("got the log %q, and %d lines more, want one warning", got, len(said))
	}
}

// lines are what is written to a log.
type lines chan string

func (l lines) Write(b []byte) (int, error) {
	l <- string(b)
	return len(b), nil
}

// TestATaskThatEndsDuringCloseIsKept adds a task during the last transaction of a server. The
// task is in the database, or its caller gets an error.
func TestATaskThatEndsDuringCloseIsKept(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "rialto.db"))
	writeBehind(t, db)
	first, second := endedEntry("one"), endedEntry("two")
	var wg sync.WaitGroup
	var added error
	whileWriting(t, db, func() {
		addEntry(t, db, first)
		wg.Go(func() {
			if err := closeAll(db); err != nil {
				t.Error(err)
			}
		})
		waitsOr(db, 1, nil) // with the first
		told := make(chan struct{})
		wg.Go(func() {
			added = db.AddTask(context.Background(), second, endedLease, 100)
			close(told)
		})
		waitsOr(db, 2, told)
	})
	wg.Wait()
	got := handles(t, open(t, db.sql.Path))
	if !strings.Contains(got, first.Handle) || added == nil != strings.Contains(got, second.Handle) {
		t.Errorf("got tasks %q and %v, want %q, and %q unless there is an error", got, added, first.Handle, second.Handle)
	}
}

// TestTheFileIsBesideTheDatabase kills a server that came by a link, and starts
// one that comes without.
func TestTheFileIsBesideTheDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rialto.db")
	open(t, path)
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	db := openServer(t, link)
	whileWriting(t, db, func() {
		e := addEntry(t, db, endedEntry("one"))
		if got := handles(t, openServer(t, image(t, path))); got != e.Handle {
			t.Errorf("got tasks %q, want %q", got, e.Handle)
		}
	})
}

// TestAServerThatEndsLeavesNoFile opens the database again without one. What it found in the
// place of its file, and could not read, stays.
func TestAServerThatEndsLeavesNoFile(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "rialto.db"))
	name := db.sql.Path + ".pending"
	if err := os.WriteFile(name, []byte("of another program"), 0o644); err != nil {
		t.Fatal(err)
	}
	writeBehind(t, db)
	e := addEntry(t, db, endedEntry("one"))
	for _, name := range []string{name, name + "-wal"} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: got %v, %v, want mode 600", name, info, err)
		}
	}
	if err := closeAll(db); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(name + "*")
	if len(left) != 1 || err != nil || !strings.HasPrefix(left[0], name+".damaged-") {
		t.Fatalf("got %v, %v, want only the file that was set aside", left, err)
	}
	if text, err := os.ReadFile(left[0]); string(text) != "of another program" || err != nil {
		t.Errorf("got %q, %v in the file that was set aside", text, err)
	}
	if got := handles(t, open(t, db.sql.Path)); got != e.Handle {
		t.Errorf("got tasks %q, want %q", got, e.Handle)
	}
}

// TestRetentionDoesNotWaitForTheWriter deletes old tasks while the writer is busy: that no
// task is old is found without the writer.
func TestRetentionDoesNotWaitForTheWriter(t *testing.T) {
	db := openTemp(t)
	addEntry(t, db, endedEntry("one"))
	whileWriting(t, db, func() {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if n, err := db.DropTasks(ctx, time.Now().Add(-time.Hour), "", nil, 10); n != 0 || err != nil {
			t.Errorf("got %d, %v, want none at once", n, err)
		}
	})
}
