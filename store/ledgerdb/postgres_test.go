package ledgerdb

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/push"
	"rialto/store/sqldb"
)

// TestALockedRowDoesNotBlockOthers locks one of two tasks: the other is claimed, polled and
// indexed meanwhile.
func TestALockedRowDoesNotBlockOthers(t *testing.T) {
	db, now := openSchema(t), time.Now()
	add := func(handle string, task *a2a.Task) {
		e := &ledger.Record{Handle: handle, Owner: "o", Agent: "a", MessageID: "m", Task: task, Idle: task != nil, Created: now, Updated: now}
		if err := db.AddTask(t.Context(), e, "gone", 10); err != nil {
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
		claimed, err := db.ClaimTasks(ctx, "here", nil, 10)
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

// TestHeartbeatsGoOnWhileAllWaitForALock locks the tasks, and has as many callers wait for them
// as there are connections.
func TestHeartbeatsGoOnWhileAllWaitForALock(t *testing.T) {
	db := openSchema(t)
	beat := func(ctx context.Context, count int64) {
		t.Helper()
		if all, err := db.Heartbeat(ctx, "here", count); err != nil || all["here"] != count {
			t.Fatalf("got %v, %v, want %d", all, err, count)
		}
	}
	beat(t.Context(), 1)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // less than PostgreSQL waits
	defer cancel()
	locker, err := db.sql.Write.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer locker.Close()
	tx, err := locker.BeginTx(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, `LOCK TABLE tasks`); err != nil {
		t.Fatal(err)
	}
	var waiting sync.WaitGroup
	defer waiting.Wait()
	for range 16 {
		waiting.Go(func() { _, _ = db.Task(ctx, "o", "h") })
	}
	for db.sql.Write.Stats().WaitCount == 0 {
		if ctx.Err() != nil {
			t.Fatal("no caller waits for a connection")
		}
		runtime.Gosched()
	}
	beat(ctx, 2)
	cancel()
}

// TestALockedNoticeDoesNotBlockOthers locks the notice of one of two tasks.
func TestALockedNoticeDoesNotBlockOthers(t *testing.T) {
	db, now := openSchema(t), time.Now()
	for _, handle := range []string{"held", "free"} {
		e := &ledger.Record{Handle: handle, Owner: "o", Agent: "a", MessageID: "m", Created: now, Updated: now}
		err := db.AddTask(t.Context(), e, "here", 10)
		if err == nil {
			err = db.Outbox().AddHook(t.Context(), "o", push.Webhook{Handle: handle, ID: "1", Host: "h", Created: now}, 10)
		}
		for _, state := range []a2a.State{a2a.InputRequired, a2a.Completed} { // the first goes first
			e.Task, e.Idle = &a2a.Task{ID: "t", Status: a2a.Status{State: state}}, true
			e.Updated = e.Updated.Add(time.Millisecond)
			if err == nil && state == a2a.Completed {
				err = db.ContinueTask(t.Context(), e, "n", "here", e.Updated)
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
		claimed, err := db.Outbox().ClaimNotices(ctx, "here", later, later.Add(time.Minute), 10, nil)
		if err != nil || len(claimed) != 1 || claimed[0].Handle != "free" || claimed[0].Task.Status.State != a2a.InputRequired {
			t.Errorf("claimed %v, %v, want the oldest that is not locked", claimed, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
