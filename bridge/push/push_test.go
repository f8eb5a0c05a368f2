package push_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/push"
	"rialto/store"
	"rialto/store/storetest"
)

// webhooks is a Sender with scripted answers. It records what was delivered.
type webhooks struct {
	answer func(ctx context.Context, c *a2a.PushConfig, attempt int) error

	mu       sync.Mutex
	attempts map[string][]time.Time // by URL
	told     map[string][]string    // states, by URL
	running  map[string]int
	most     map[string]int
}

func (w *webhooks) Accept(context.Context, *a2a.PushConfig) error { return nil }

func (w *webhooks) Deliver(ctx context.Context, c *a2a.PushConfig, t *a2a.Task, _ string) error {
	w.mu.Lock()
	w.attempts[c.URL] = append(w.attempts[c.URL], time.Now())
	n := len(w.attempts[c.URL])
	w.running[c.URL]++
	w.most[c.URL] = max(w.most[c.URL], w.running[c.URL])
	w.mu.Unlock()
	err := w.answer(ctx, c, n)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running[c.URL]--
	if err == nil {
		w.told[c.URL] = append(w.told[c.URL], string(t.Status.State))
	}
	return err
}

// rig is a service with a database, on the time of a synctest bubble.
type rig struct {
	*webhooks
	t       *testing.T
	path    string
	db      *store.DB
	service *push.Service
	stop    func()
	tasks   int
}

func newRig(t *testing.T, answer func(ctx context.Context, c *a2a.PushConfig, attempt int) error) *rig {
	path := storetest.File(t, store.Open)
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	w := &webhooks{answer: answer, attempts: map[string][]time.Time{}, told: map[string][]string{}, running: map[string]int{}, most: map[string]int{}}
	r := &rig{webhooks: w, t: t, path: path, db: db}
	r.start()
	return r
}

// start starts another service, as the next process does.
func (r *rig) start(change ...func(*push.Service)) {
	r.service = &push.Service{
		Outbox: r.db.Ledger.Outbox(), Sender: r.webhooks, Key: bytes.Repeat([]byte{7}, 32), Replica: "service", Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}
	for _, change := range change {
		change(r.service)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); r.service.Run(ctx) }()
	r.stop = func() { cancel(); <-done }
}

func (r *rig) close() { r.stop(); r.db.Close() }

// task adds a task with a webhook.
func (r *rig) task(url string) *ledger.Record {
	r.t.Helper()
	r.tasks++
	now := time.Now().Truncate(time.Millisecond)
	e := &ledger.Record{Handle: fmt.Sprint("task ", r.tasks), Owner: "alice", Agent: "agent", MessageID: "m", Created: now, Updated: now}
	if err := r.db.Ledger.AddTask(r.t.Context(), e, "f", 5000); err != nil {
		r.t.Fatal(err)
	}
	if _, err := r.service.Add(r.t.Context(), "alice", &a2a.PushConfig{TaskID: a2a.TaskID(e.Handle), URL: url, Token: "a secret of the webhook"}); err != nil {
		r.t.Fatal(err)
	}
	return e
}

func (r *rig) change(e *ledger.Record, s a2a.State) {
	r.t.Helper()
	e.Updated = e.Updated.Add(time.Millisecond)
	e.Task = &a2a.Task{ID: "upstream", Status: a2a.Status{State: s}}
	e.Idle = s.Idle()
	if err := r.db.Ledger.SaveTask(r.t.Context(), e, "f"); err != nil {
		r.t.Fatal(err)
	}
}

// after waits, and returns the states that a webhook has received by then.
func (r *rig) after(d time.Duration, url string) string {
	time.Sleep(d)
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.told[url], " ")
}

func always(context.Context, *a2a.PushConfig, int) error { return nil }

const hook = "https://hooks.example/a"

// silent is an outbox that does not answer the first call, as a database does whose
// connection is dead.
type silent struct {
	push.Outbox
	claimed, looked bool
}

func (s *silent) ClaimNotices(ctx context.Context, replica string, now, until time.Time, limit int, except []string) ([]*push.Notice, error) {
	if !s.claimed {
		s.claimed = true
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return s.Outbox.ClaimNotices(ctx, replica, now, until, limit, except)
}

func (s *silent) NextNotice(ctx context.Context) (time.Time, error) {
	if !s.looked {
		s.looked = true
		<-ctx.Done()
		return time.Time{}, ctx.Err()
	}
	return s.Outbox.NextNotice(ctx)
}

func TestADatabaseThatFellSilentIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, always)
		defer r.close()
		r.stop()
		r.start(func(d *push.Service) { d.Outbox = &silent{Outbox: r.db.Ledger.Outbox()} })
		r.after(time.Second, hook) // it is being asked
		r.change(r.task(hook), a2a.Completed)
		if got := r.after(time.Minute, hook); got != "completed" {
			t.Errorf("got %q", got)
		}
	})
}

func TestAWebhookIsToldAtOnceAndInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, always)
		defer r.close()
		e := r.task(hook)
		for _, s := range []a2a.State{a2a.Working, a2a.Completed} {
			r.change(e, s)
			r.after(200*time.Millisecond, hook)
		}
		if got := r.after(0, hook); got != "working completed" {
			t.Errorf("got %q", got)
		}
	})
}

// TestAnAttemptThatFailsIsRepeatedMoreAndMoreSeldom checks the pauses, and that a
// webhook that answers again gets what it missed.
func TestAnAttemptThatFailsIsRepeatedMoreAndMoreSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(_ context.Context, _ *a2a.PushConfig, attempt int) error {
			if attempt <= 5 {
				return errors.New("503")
			}
			return nil
		})
		defer r.close()
		r.change(r.task(hook), a2a.Completed)
		if got := r.after(10*time.Minute, hook); got != "completed" {
			t.Fatalf("got %q after %d attempts", got, len(r.attempts[hook]))
		}
		for i, least := range []time.Duration{2, 4, 8, 16, 32} {
			least *= time.Second
			pause := r.attempts[hook][i+1].Sub(r.attempts[hook][i])
			if pause < least || pause > least*3/2+5*time.Second {
				t.Errorf("pause %d: got %v, want %v to half as much again", i, pause, least)
			}
		}
	})
}

// TestAnUndeliverableNoticeIsDead checks after how many attempts a notice is dead;
// after one if the address is refused.
func TestAnUndeliverableNoticeIsDead(t *testing.T) {
	for name, tc := range map[string]struct {
		err      error
		attempts int
		patience time.Duration
	}{
		"a webhook that does not answer": {errors.New("connection refused"), 16, 8 * time.Hour},
		"an address that is refused":     {a2a.Errorf(a2a.InvalidParams, "the host has no public address"), 1, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				failing := true
				r := newRig(t, func(context.Context, *a2a.PushConfig, int) error {
					if failing {
						return tc.err
					}
					return nil
				})
				defer r.close()
				r.change(r.task(hook), a2a.Completed)
				r.after(tc.patience, hook)
				dead, err := r.db.Ledger.Outbox().DeadNotices(t.Context(), 10)
				if err != nil || len(dead) != 1 || dead[0].Failure != tc.err.Error() || len(r.attempts[hook]) != tc.attempts {
					t.Fatalf("got %d dead, %v after %d attempts, want 1 after %d", len(dead), err, len(r.attempts[hook]), tc.attempts)
				}
				failing = false
				if _, err := r.db.Ledger.Outbox().RetryDeadNotices(t.Context(), time.Now()); err != nil {
					t.Fatal(err)
				}
				if got := r.after(10*time.Second, hook); got != "completed" {
					t.Errorf("revived: got %q", got)
				}
			})
		})
	}
}

// TestAHostThatHangsDoesNotStopTheOthers has more notices for one host than attempts
// may run at once.
func TestAHostThatHangsDoesNotStopTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const slow = "https://slow.example/"
		r := newRig(t, func(ctx context.Context, c *a2a.PushConfig, _ int) error {
			if c.URL == slow {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		})
		defer r.close()
		for range 100 {
			r.change(r.task(slow), a2a.Completed)
		}
		r.change(r.task(hook), a2a.Completed)
		if got := r.after(time.Second, hook); got != "completed" {
			t.Errorf("got %q while another host hangs", got)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.most[slow] > 16 {
			t.Errorf("%d attempts at once to one host, want 16 at most", r.most[slow])
		}
	})
}

// TestAStopLosesNoNotice stops a service during an attempt.
func TestAStopLosesNoNotice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := true
		r := newRig(t, func(ctx context.Context, _ *a2a.PushConfig, _ int) error {
			if hang {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		})
		defer func() { r.close() }()
		r.change(r.task(hook), a2a.Completed)
		r.after(time.Second, hook)
		r.stop()
		hang = false
		r.start()
		if got := r.after(time.Second, hook); got != "completed" {
			t.Errorf("got %q, want it told by the next service, at once", got)
		}
	})
}

// TestTheDatabaseOpensNoWebhook checks that configs are encrypted, each for its
// place.
func TestTheDatabaseOpensNoWebhook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, always)
		defer r.close()
		one, other := r.task("https://one.example"), r.task("https://other.example")
		raw, err := sql.Open("sqlite", r.path)
		if err != nil {
			t.Fatal(err)
		}
		defer raw.Close()
		var plain int
		if err := raw.QueryRow(`SELECT count(*) FROM webhooks WHERE config LIKE '%secret%' OR config LIKE '%://%'`).Scan(&plain); err != nil || plain > 0 {
			t.Errorf("%d configs can be read, %v", plain, err)
		}
		if _, err := raw.Exec(`UPDATE webhooks SET id = 'x', config = (SELECT config FROM webhooks WHERE handle = $1) WHERE handle = $2`, one.Handle, other.Handle); err != nil {
			t.Fatal(err)
		}
		if all, err := r.service.List(t.Context(), "alice", other.Handle); err == nil {
			t.Errorf("got %v, want a config moved to another task refused", all[0])
		}
		all, err := r.service.List(t.Context(), "alice", one.Handle)
		if err != nil || len(all) != 1 || all[0].Token != "a secret of the webhook" || all[0].ID == "" {
			t.Errorf("got %v, %v, want the config", all, err)
		}
	})
}
