package ledgerdb_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/store/ledgerdb"
)

// sentOnce adds a task, and then continues one, by many callers with one
// message.
func sentOnce(t *testing.T, l Ledger) {
	e := add(t, l)
	settle(t, l, e, a2a.InputRequired)
	for name, send := range map[string]func(digest string) (string, error){
		"a new task": func(digest string) (string, error) {
			mine := *e
			mine.Handle, mine.Digest, mine.Task, mine.Idle = uuid.NewString(), digest, nil, false
			return mine.Handle, l.AddTask(t.Context(), &mine, "r1", 1000)
		},
		"a task that waits": func(digest string) (string, error) {
			mine := *e
			mine.Digest = digest
			return mine.Handle, l.ContinueTask(t.Context(), &mine, "m2", "r1", now)
		},
	} {
		won := raceToSend(t, name, send)
		remembered(t, l, name, won)
	}
}

// raceToSend sends one message from many callers and returns the task of the
// first one, which the others must learn.
func raceToSend(t *testing.T, name string, send func(digest string) (string, error)) (won string) {
	var mu sync.Mutex
	var before []string
	var wg sync.WaitGroup
	for range parallel {
		wg.Go(func() {
			handle, err := send(name)
			var b ledger.ErrDuplicate
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil && won == "":
				won = handle
			case errors.As(err, &b):
				before = append(before, b.Handle)
			default:
				t.Errorf("%s: got %v", name, err)
			}
		})
	}
	wg.Wait()
	for _, handle := range before {
		if handle != won {
			t.Errorf("%s: told of the task %q, want %q", name, handle, won)
		}
	}
	if len(before) != parallel-1 {
		t.Errorf("%s: %d learned that it was sent before, want %d", name, len(before), parallel-1)
	}
	return won
}

// remembered checks for how long, and to whom, the task won is named as the one that a
// message began.
func remembered(t *testing.T, l Ledger, name, won string) {
	l.age(t, ledger.RepeatsFor)
	if handle, err := l.TaskByDigest(t.Context(), "alice", "agent", name, now); handle != "" || err != nil {
		t.Errorf("%s, much later: got %q, %v", name, handle, err)
	}
	l.age(t, -ledger.RepeatsFor)
	forgotten := ledger.Record{Owner: "alice", Agent: "agent", Handle: won, Digest: name}
	for _, entry := range []ledger.Record{{Owner: "alice", Agent: "agent", Handle: "another", Digest: name}, forgotten} {
		if handle, err := l.TaskByDigest(t.Context(), "alice", "agent", name, now); handle != won || err != nil {
			t.Errorf("%s: got %q, %v, want %q", name, handle, err, won)
		}
		if err := l.ForgetDigest(t.Context(), &entry); err != nil {
			t.Fatal(err)
		}
	}
	if handle, err := l.TaskByDigest(t.Context(), "alice", "agent", name, now); handle != "" || err != nil {
		t.Errorf("%s, forgotten: got %q, %v", name, handle, err)
	}
	for i, later := range []time.Duration{0, ledger.RepeatsFor} { // the second time it is another message
		another := ledger.Record{Handle: uuid.NewString(), Owner: "alice", Agent: "agent", Digest: "another " + name, Created: now, Updated: now}
		l.age(t, later)
		if err := l.AddTask(t.Context(), &another, "r1", 1000); err != nil {
			t.Errorf("%s, for the time %d: %v", name, i+1, err)
		}
	}
	for _, other := range [][3]string{{"bob", "agent", name}, {"alice", "other", name}, {"alice", "agent", "other"}} {
		if handle, err := l.TaskByDigest(t.Context(), other[0], other[1], other[2], now); handle != "" || err != nil {
			t.Errorf("%v: got %q, %v", other, handle, err)
		}
	}
}

// age makes all messages older. On PostgreSQL its clock decides how old they are.
func (l Ledger) age(t *testing.T, by time.Duration) {
	t.Helper()
	if err := l.Store.(*ledgerdb.Store).AgeDigests(t.Context(), by); err != nil {
		t.Fatal(err)
	}
}
