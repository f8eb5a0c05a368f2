package ledgerdb

import (
	"context"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/push"

	"rialto/internal/store/sqldb"
)

// TestALockedRowDoesNotBlockOthers locks one of two tasks: the other is claimed, polled and
// indexed meanwhile.
func TestALockedRowDoesNotBlockOthers(t *testing.T) {
	db, now := openSchema(t), time.Now()
	add := func(handle string, task *a2a.Task) {
		e := &ledger.Record{Handle: handle, Owner: "o", Agent: "a", MessageID: "m", Task: task, Idle: task != nil, Created: now, Updated: now}
		if err := db.AddTask(t.Context(), e, ledger.Lease{Replica: "gone", Until: now}, 10); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"held", "free"} {
		add(name+" running", nil)
		add(name+" waiting", &a2a.Task{ID: "t", Status: a2a.Status{State: a2a.AuthRequired}})
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // less than PostgreSQL waits
	defer cancel()
	err := db.sql.InTx(ctx, func(tx *sqldb.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM tasks WHERE handle LIKE 'held %' FOR UPDATE`); err != nil {
			return err
		}
		claimed, err := db.ClaimTasks(ctx, ledger.Lease{Replica: "here", Until: now.Add(time.Minute)}, now.Add(time.Second), 10)
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
	err = db.sql.Read.QueryRowContext(t.Context(), `SELECT string_agg(handle, ', ' ORDER BY handle) FROM tasks WHERE indexed > 0`).Scan(&indexed)
	if err != nil || indexed != "free waiting" {
		t.Errorf("the index has %s, %v", indexed, err)
	}
}

// TestALockedRowDoesNotBlockRenewals locks one of two tasks, first for long and then for a
// moment, as the transaction that writes it does.
func TestALockedRowDoesNotBlockRenewals(t *testing.T) {
	db, now := openSchema(t), time.Now()
	handles := []string{"free", "held", "of nobody"}
	for _, handle := range handles[:2] {
		e := &ledger.Record{Handle: handle, Owner: "o", Agent: "a", MessageID: "m", Created: now, Updated: now}
		if err := db.AddTask(t.Context(), e, ledger.Lease{Replica: "here", Until: now}, 10); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // less than PostgreSQL waits
	defer cancel()
	renew := func(until time.Time) error {
		return db.RenewLeases(ctx, ledger.Lease{Replica: "here", Until: until}, handles)
	}
	renewed := func(until time.Time, want string) {
		t.Helper()
		var got string
		err := db.sql.Read.QueryRowContext(ctx, `SELECT string_agg(handle, ', ' ORDER BY handle) FROM tasks WHERE lease_until = $1`, until.UnixMilli()).Scan(&got)
		if err != nil || got != want {
			t.Errorf("renewed: got %q, %v, want %q", got, err, want)
		}
	}
	hold := func(do func()) {
		t.Helper()
		err := db.sql.InTx(ctx, func(tx *sqldb.Tx) error {
			_, err := tx.ExecContext(ctx, `SELECT 1 FROM tasks WHERE handle = 'held' FOR UPDATE`)
			if err == nil {
				do()
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	soon, later := now.Add(time.Minute), now.Add(time.Hour)
	hold(func() {
		if err := renew(soon); err != nil {
			t.Error(err)
		}
		renewed(soon, "free")
	})
	done := make(chan error, 1)
	hold(func() {
		go func() { done <- renew(later) }()
		for waits := 0; waits == 0 && ctx.Err() == nil; {
			err := db.sql.Read.QueryRowContext(ctx, `SELECT count(*) FROM pg_locks WHERE NOT granted AND pid <> pg_backend_pid()
				AND pid IN (SELECT pid FROM pg_stat_activity WHERE query LIKE 'UPDATE tasks SET lease_until%' AND datname = current_database())`).Scan(&waits)
			if err != nil {
				t.Error(err)
			}
		}
	})
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-ctx.Done():
		t.Fatal("the lease was not renewed in time")
	}
	renewed(later, "free, held")
}

// TestALockedNoticeDoesNotBlockOthers locks the notice of one of two tasks.
func TestALockedNoticeDoesNotBlockOthers(t *testing.T) {
	db, now := openSchema(t), time.Now()
	for _, handle := range []string{"held", "free"} {
		e := &ledger.Record{Handle: handle, Owner: "o", Agent: "a", MessageID: "m", Created: now, Updated: now}
		err := db.AddTask(t.Context(), e, ledger.Lease{Replica: "here", Until: now.Add(time.Minute)}, 10)
		if err == nil {
			err = db.AddHook(t.Context(), "o", push.Webhook{Handle: handle, ID: "1", Host: "h", Created: now}, 10)
		}
		for _, state := range []a2a.State{a2a.InputRequired, a2a.Completed} { // the first goes first
			e.Task, e.Idle = &a2a.Task{ID: "t", Status: a2a.Status{State: state}}, true
			e.Updated = e.Updated.Add(time.Millisecond)
			if err == nil && state == a2a.Completed {
				err = db.ContinueTask(t.Context(), e, "n", ledger.Lease{Replica: "here", Until: now.Add(time.Minute)}, e.Updated)
				e.MessageID = "n"
			}
			if err == nil {
				err = db.SaveTask(t.Context(), e, "here")
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // less than PostgreSQL waits
	defer cancel()
	err := db.sql.InTx(ctx, func(tx *sqldb.Tx) error {
		if _, err := tx.ExecContext(ctx, `SELECT 1 FROM notices WHERE handle = 'held' AND version = (SELECT min(version) FROM notices WHERE handle = 'held') FOR UPDATE`); err != nil {
			return err
		}
		later := now.Add(time.Minute)
		claimed, err := db.ClaimNotices(ctx, ledger.Lease{Replica: "here", Until: later.Add(time.Minute)}, later, 10, nil)
		if err != nil || len(claimed) != 1 || claimed[0].Handle != "free" || claimed[0].Task.Status.State != a2a.InputRequired {
			t.Errorf("claimed %v, %v, want the oldest that is not locked", claimed, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
