package store

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge"
	"rialto/oauth/oauthtest"
)

// TestWhatPostgreSQLDoesForAConnectionIsBounded reads the limits, and those that the
// operator has set.
func TestWhatPostgreSQLDoesForAConnectionIsBounded(t *testing.T) {
	dsn := oauthtest.PostgresSchema(t)
	for own, want := range map[string]string{"": "10s", "&lock_timeout=50": "50ms"} {
		var lock, idle string
		err := open(t, dsn+own).read.QueryRowContext(t.Context(),
			`SELECT current_setting('lock_timeout'), current_setting('idle_in_transaction_session_timeout')`).Scan(&lock, &idle)
		if err != nil || lock != want || idle != "30s" {
			t.Errorf("%q: got %s and %s, %v, want %s and 30s", own, lock, idle, err, want)
		}
	}
}

// TestAStartDoesNotWaitForALockForEver holds the table that a start writes to.
func TestAStartDoesNotWaitForALockForEver(t *testing.T) {
	dsn := oauthtest.PostgresSchema(t)
	other, db := open(t, dsn), open(t, dsn+"&lock_timeout=50")
	err := other.inTx(t.Context(), func(tx *tx) error {
		_, err := tx.ExecContext(t.Context(), `LOCK TABLE setup_code`)
		if err == nil {
			if err := db.OpenSetup(t.Context(), "hash", time.Now()); !refusedAs(err, "55P03") {
				t.Errorf("got %v, want that it waited too long for a lock", err)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestADatabaseThatSaysNothingIsNotOpened takes connections and never answers.
func TestADatabaseThatSaysNothingIsNotOpened(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() // nobody accepts: the system does
	dsn := "postgres://somebody@" + l.Addr().String() + "/test?sslmode=disable"
	config, err := postgresConfig(dsn)
	if err != nil || config.ConnectTimeout != connectFor {
		t.Errorf("got %v, %v", config.ConnectTimeout, err)
	}
	if _, err = Open(t.Context(), dsn+"&connect_timeout=1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// TestARowThatIsHeldKeepsNobodyFromTheOthers has another transaction hold one of two
// tasks: the other is claimed, looked at and put into the index meanwhile.
func TestARowThatIsHeldKeepsNobodyFromTheOthers(t *testing.T) {
	db, now := openSchema(t), time.Now()
	add := func(handle string, task *a2a.Task) {
		e := &bridge.Entry{Handle: handle, Owner: "o", Agent: "a", MessageID: "m", Task: task, Settled: task != nil, Created: now, Updated: now}
		if err := db.AddTask(t.Context(), e, bridge.Lease{Replica: "gone", Until: now}, 10); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"held", "free"} {
		add(name+" running", nil)
		add(name+" waiting", &a2a.Task{ID: "t", Status: a2a.Status{State: a2a.AuthRequired}})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // less than PostgreSQL waits
	defer cancel()
	err := db.inTx(ctx, func(tx *tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM tasks WHERE handle LIKE 'held %' FOR UPDATE`); err != nil {
			return err
		}
		claimed, err := db.ClaimTasks(ctx, bridge.Lease{Replica: "here", Until: now.Add(time.Minute)}, now.Add(time.Second), 10)
		if err != nil || len(claimed) != 1 || claimed[0].Handle != "free running" {
			t.Errorf("claimed %v, %v", claimed, err)
		}
		if _, err := db.IndexTasks(ctx, 10); err != nil {
			t.Errorf("put into the index: %v", err)
		}
		due, err := db.DueTasks(ctx, now.Add(time.Hour), 10)
		if err != nil || len(due) != 1 || due[0].Handle != "free waiting" {
			t.Errorf("due are %v, %v", due, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	var indexed string
	err = db.read.QueryRowContext(t.Context(), `SELECT string_agg(handle, ', ' ORDER BY handle) FROM tasks WHERE indexed > 0`).Scan(&indexed)
	if err != nil || indexed != "free waiting" {
		t.Errorf("the index has %s, %v", indexed, err)
	}
}
