package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"rialto/internal/dberr"
	"rialto/oauth/oauthtest"
)

func mark(ctx context.Context, db *DB, text string) error {
	_, err := db.Write.ExecContext(ctx, `INSERT INTO used_once (hash, expires) VALUES ($1, 1)`, text)
	return err
}

// TestAFullDiskIsUnavailable lets the file grow no further.
func TestAFullDiskIsUnavailable(t *testing.T) {
	db := openTemp(t)
	var pages int
	if err := db.Write.DB.QueryRow(`PRAGMA page_count`).Scan(&pages); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Write.DB.Exec(fmt.Sprint(`PRAGMA max_page_count = `, pages)); err != nil {
		t.Fatal(err)
	}
	if _, is := dberr.As(mark(t.Context(), db, strings.Repeat("x", 1<<20))); !is {
		t.Error("got no *unavailable.Error")
	}
}

// TestADeletedFileTakesNoWrites deletes the file of an open database. Writes succeeded, and
// were lost with the process.
func TestADeletedFileTakesNoWrites(t *testing.T) {
	db := openTemp(t)
	if err := mark(t.Context(), db, "a"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(db.Path, db.Path+".away"); err != nil {
		t.Fatal(err)
	}
	err := mark(t.Context(), db, "b")
	if _, is := dberr.As(err); !is || !errors.Is(err, errFileReplaced) {
		t.Errorf("got %v, want that the file is gone", err)
	}
	if err := os.Rename(db.Path+".away", db.Path); err != nil {
		t.Fatal(err)
	}
	if err := mark(t.Context(), db, "c"); err != nil {
		t.Errorf("the file is back: got %v", err)
	}
}

// TestAPostgreSQLThatIsAwayIsUnavailable ends connections, and asks an address without a server.
func TestAPostgreSQLThatIsAwayIsUnavailable(t *testing.T) {
	dsn := oauthtest.PostgresSchema(t)
	db := open(t, dsn)
	err := db.InTx(t.Context(), func(tx *Tx) error {
		var pid int
		if err := tx.QueryRowContext(t.Context(), `SELECT pg_backend_pid()`).Scan(&pid); err != nil {
			return err
		}
		if _, err := db.Read.ExecContext(t.Context(), `SELECT pg_terminate_backend($1)`, pid); err != nil {
			return err
		}
		_, err := tx.ExecContext(t.Context(), `SELECT 1`)
		return err
	})
	if _, is := dberr.As(err); !is {
		t.Errorf("a connection that ended: got %v", err)
	}
	away, err := openPostgres("postgres://127.0.0.1:1/none?connect_timeout=1")
	if err != nil {
		t.Fatal(err)
	}
	defer away.Close()
	if _, is := dberr.As(mark(t.Context(), away, "a")); !is {
		t.Error("no server at the address: got no *unavailable.Error")
	}
}

// TestOtherErrorsAreNotUnavailable keeps faults of the program apart.
func TestOtherErrorsAreNotUnavailable(t *testing.T) {
	each(t, func(t *testing.T, again func() *DB) {
		db := again()
		if err := mark(t.Context(), db, "a"); err != nil {
			t.Fatal(err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		_, syntax := db.Read.ExecContext(t.Context(), `SELEKT`)
		for what, err := range map[string]error{
			"a second row of one key": mark(t.Context(), db, "a"), "a statement that is none": syntax,
			"a caller who left": mark(ended, db, "b"),
			"no row":            db.Read.QueryRowContext(t.Context(), `SELECT hash FROM used_once WHERE hash = 'none'`).Scan(new(string)),
		} {
			if _, is := dberr.As(err); is || err == nil {
				t.Errorf("%s: got %v", what, err)
			}
		}
		if err := Classify(sql.ErrNoRows); err != sql.ErrNoRows {
			t.Errorf("got %v", err)
		}
	})
}

// observer gets the error of each statement.
type observer func(error)

func (o observer) ObserveStatement(context.Context, string) func(error) { return o }

// TestOnlyErrorsOfTheDatabaseAreObserved looks at what the observer gets. A refusal by the caller of a transaction
// counted as an error of the database, and a failed query for one row did not.
func TestOnlyErrorsOfTheDatabaseAreObserved(t *testing.T) {
	each(t, func(t *testing.T, again func() *DB) {
		db := again()
		var got []error
		db.Read.Observer = observer(func(err error) { got = append(got, err) })
		db.Write.Observer = db.Read.Observer
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		row := func(query string) func() {
			return func() { _ = db.Read.QueryRowContext(t.Context(), query).Scan(new(string)) }
		}
		for what, tc := range map[string]struct {
			do    func()
			fault bool
		}{
			"a row that is not there":    {row(`SELECT hash FROM used_once WHERE hash = 'none'`), false},
			"one row of no table":        {row(`SELECT hash FROM nowhere`), true},
			"a statement of no table":    {func() { _, _ = db.Write.ExecContext(t.Context(), `DELETE FROM nowhere`) }, true},
			"a refusal in a transaction": {func() { _ = db.InTx(t.Context(), func(*Tx) error { return errors.New("not found") }) }, false},
			"a failure in a transaction": {func() {
				_ = db.InTx(t.Context(), func(tx *Tx) error { _, err := tx.ExecContext(t.Context(), `SELEKT`); return err })
			}, true},
			"a caller who left": {func() { _ = mark(ended, db, "a") }, false},
		} {
			got = nil
			if tc.do(); len(got) != 1 || (got[0] != nil) != tc.fault {
				t.Errorf("%s: got %v, want one report, with an error: %t", what, got, tc.fault)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		got = nil
		if row(`SELECT hash FROM used_once`)(); len(got) != 1 || got[0] == nil {
			t.Errorf("a closed database: got %v, want one report with an error", got)
		}
	})
}
