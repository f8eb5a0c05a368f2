package ledgerdb_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

// parallel is how many callers fight over what only one may have.
const parallel = 64

var now = time.UnixMilli(1_800_000_000_000)

// Ledger is a store as the contracts of package ledger see it.
type Ledger struct {
	ledger.Store
	ledger.Lists
	ledger.Leases
}

// testLedger runs the contracts of package ledger against the stores that open returns.
// Each must be empty.
func testLedger(t *testing.T, open func(*testing.T) Ledger) {
	t.Run("Store", func(t *testing.T) { testStore(t, open) })
	t.Run("Lists", func(t *testing.T) { testLists(t, open) })
	t.Run("Leases", func(t *testing.T) { testLeases(t, open) })
}

// testStore runs the contract of ledger.Store.
func testStore(t *testing.T, open func(*testing.T) Ledger) {
	each(t, open, map[string]func(*testing.T, Ledger){
		"a task is read as it was written":                   readBack,
		"a task is known to its owner only":                  ownerOnly,
		"a paused task is continued by exactly one caller":   continueOnce,
		"a task that is working or ended is not continued":   continueNever,
		"a replica without the lease writes nothing":         leaseLost,
		"the number of running tasks of an owner is bounded": tooMany,
		"a task may have ended before it is written":         addedSettled,
		"old idle tasks are deleted":                         dropped,
		"the bytes of large tasks are counted":               storedBytes,
		"a repeated message is taken once":                   sentOnce,
	})
}

// testLeases runs the contract of ledger.Leases.
func testLeases(t *testing.T, open func(*testing.T) Ledger) {
	each(t, open, map[string]func(*testing.T, Ledger){
		"an abandoned task goes to exactly one replica":       claimOnce,
		"a replica holds its tasks as long as it lives":       heldWhileItLives,
		"a task without a follower goes to its replica":       ownUnfollowed,
		"the sender replaces a presumed failure":              senderKnowsBetter,
		"the sender goes on after a presumed failure":         senderGoesOn,
		"the sender takes its task back":                      senderTakesBack,
		"a known answer is not replaced":                      answersStay,
		"an answer to an earlier message is dropped":          earlierMessage,
		"an idle task is not claimed":                         settledNotClaimed,
		"one task is claimed alone":                           claimOne,
		"tasks of dead replicas do not count as running":      goneCountForNobody,
		"a task in auth-required is due at growing intervals": due,
		"a task with an answer for its agent is due":          dueWithAnswer,
	})
}

func each(t *testing.T, open func(*testing.T) Ledger, tests map[string]func(*testing.T, Ledger)) {
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// add writes a new task of alice's, followed by replica "r1".
func add(t *testing.T, l ledger.Store) *ledger.Record {
	t.Helper()
	e := &ledger.Record{
		Handle: uuid.NewString(), Owner: "alice", Client: "client", Agent: "agent", MessageID: "m1",
		Asked: "What was asked?", Created: now, Updated: now,
	}
	if err := l.AddTask(t.Context(), e, "r1", 1000); err != nil {
		t.Fatalf("AddTask: %v", err)
	}
	return e
}

// settle saves e in a state that waits for its owner, or has ended.
func settle(t *testing.T, l ledger.Store, e *ledger.Record, s a2a.State) {
	t.Helper()
	e.Task = &a2a.Task{ID: "upstream", ContextID: "context", Status: a2a.Status{State: s}}
	e.Idle = true
	if err := l.SaveTask(t.Context(), e, "r1"); err != nil {
		t.Fatalf("SaveTask: %v", err)
	}
}

func readBack(t *testing.T, l Ledger) {
	e := add(t, l)
	data, err := a2a.DataPart(map[string]any{"big": 9007199254740993, "text": "zero \x00, quote ', emoji 🌉"})
	if err != nil {
		t.Fatal(err)
	}
	said := &a2a.Message{ID: "m", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("done")}}
	e.Task = &a2a.Task{
		ID: "upstream", ContextID: "context",
		Status: a2a.Status{State: a2a.Working, Message: said, Timestamp: now.UTC()},
		Artifacts: []a2a.Artifact{{ID: "a", Name: "all kinds", Parts: []a2a.Part{
			a2a.TextPart(""), data, {Content: a2a.Raw{0, 255}, Filename: "f"}, {Content: a2a.URL("https://example.com"), MediaType: "text/plain"},
		}}},
		History:  []a2a.Message{*said},
		Metadata: a2a.Metadata{"k": "v"},
	}
	e.Failure = &ledger.Failure{Code: a2a.Unavailable, Message: "gone", Remote: true}
	e.Revisions = &ledger.Revisions{
		States:    []ledger.StateRevision{{State: a2a.Submitted, Since: 1}, {State: a2a.Working, Since: 2}},
		Artifacts: []ledger.ArtifactRevision{{Artifact: a2a.Artifact{ID: "a", Parts: []a2a.Part{a2a.TextPart("before")}}, Until: 2}}, Dropped: 3,
	}
	e.Updated = now.Add(time.Second)
	if err := l.SaveTask(t.Context(), e, "r1"); err != nil {
		t.Fatalf("SaveTask: %v", err)
	}
	got, err := l.Task(t.Context(), "alice", e.Handle)
	if err != nil {
		t.Fatalf("Task: %v", err)
	}
	if !got.Created.Equal(e.Created) || !got.Updated.Equal(e.Updated) {
		t.Errorf("times: got %v and %v, want %v and %v", got.Created, got.Updated, e.Created, e.Updated)
	}
	got.Created, got.Updated = e.Created, e.Updated
	if !reflect.DeepEqual(got, e) {
		t.Errorf("got %+v, want %+v", got, e)
	}
}

func ownerOnly(t *testing.T, l Ledger) {
	e := add(t, l)
	settle(t, l, e, a2a.InputRequired)
	for _, who := range []string{"bob", "", "ALICE"} {
		if _, err := l.Task(t.Context(), who, e.Handle); !errors.Is(err, ledger.ErrNoTask) {
			t.Errorf("Task of %q: got %v, want ErrNoTask", who, err)
		}
		theirs := *e
		theirs.Owner = who
		if err := l.ContinueTask(t.Context(), &theirs, "m2", "r2", now); !errors.Is(err, ledger.ErrNoTask) {
			t.Errorf("ContinueTask of %q: got %v, want ErrNoTask", who, err)
		}
	}
}

func continueOnce(t *testing.T, l Ledger) {
	e := add(t, l)
	settle(t, l, e, a2a.InputRequired)
	won := count(t, func(i int) (bool, error) {
		err := l.ContinueTask(context.Background(), e, fmt.Sprint("m", i), fmt.Sprint("r", i), now)
		if errors.Is(err, ledger.ErrTaskBusy) {
			return false, nil
		}
		return err == nil, err
	})
	if won != 1 {
		t.Errorf("got %d callers that continued the task, want 1", won)
	}
	got, err := l.Task(t.Context(), "alice", e.Handle)
	if err != nil || got.Idle {
		t.Errorf("afterwards: got settled %v, %v, want false", got.Idle, err)
	}
}

func continueNever(t *testing.T, l Ledger) {
	working := add(t, l)
	if err := l.ContinueTask(t.Context(), working, "m2", "r2", now); !errors.Is(err, ledger.ErrTaskBusy) {
		t.Errorf("a submitted task: got %v, want ErrTaskBusy", err)
	}
	for _, s := range []a2a.State{a2a.Completed, a2a.Failed, a2a.Canceled, a2a.Rejected} {
		e := add(t, l)
		settle(t, l, e, s)
		if err := l.ContinueTask(t.Context(), e, "m2", "r2", now); !errors.Is(err, ledger.ErrTaskBusy) {
			t.Errorf("a %s task: got %v, want ErrTaskBusy", s, err)
		}
	}
	paused := add(t, l)
	settle(t, l, paused, a2a.InputRequired)
	paused.MessageID = "of an earlier pause"
	if err := l.ContinueTask(t.Context(), paused, "m2", "r2", now); !errors.Is(err, ledger.ErrTaskBusy) {
		t.Errorf("a task read before its pause: got %v, want ErrTaskBusy", err)
	}
}

func tooMany(t *testing.T, l Ledger) {
	first := add(t, l)
	live(t, l, "r1", 1)
	e := &ledger.Record{Handle: uuid.NewString(), Owner: "alice", Agent: "agent", MessageID: "m1", Created: now, Updated: now}
	if err := l.AddTask(t.Context(), e, "r1", 1); !errors.Is(err, ledger.ErrTooManyTasks) {
		t.Errorf("a second running task where one may run: got %v, want ErrTooManyTasks", err)
	}
	settle(t, l, first, a2a.InputRequired)
	if err := l.AddTask(t.Context(), e, "r1", 1); err != nil {
		t.Errorf("after the first has settled: %v", err)
	}
}

// storedBytes: a task counts for its owner and its agent while it is large and is kept.
func storedBytes(t *testing.T, l Ledger) {
	want := func(when, owner, agent string, least, most int64) {
		t.Helper()
		if n, err := l.StoredBytes(t.Context(), owner, agent); err != nil || n < least || n > most {
			t.Errorf("%s: %q %q: got %d, %v, want %d to %d", when, owner, agent, n, err, least, most)
		}
	}
	said := func(e *ledger.Record, size int) {
		t.Helper()
		e.Task = &a2a.Task{ID: "upstream", Status: a2a.Status{State: a2a.Completed}, Artifacts: []a2a.Artifact{{ID: "a", Parts: []a2a.Part{a2a.TextPart(strings.Repeat("x", size))}}}}
		e.Idle = true
	}
	small, large := add(t, l), add(t, l)
	said(small, 1000)
	said(large, 100_000)
	for _, e := range []*ledger.Record{small, large} {
		if err := l.SaveTask(t.Context(), e, "r1"); err != nil {
			t.Fatal(err)
		}
	}
	added := &ledger.Record{Handle: uuid.NewString(), Owner: "bob", Agent: "agent", MessageID: "m1", Created: now.Add(time.Hour), Updated: now.Add(time.Hour)}
	said(added, 50_000)
	if err := l.AddTask(t.Context(), added, "r1", 1); err != nil {
		t.Fatal(err)
	}
	want("stored", "alice", "", 100_000, 101_000)
	want("stored", "bob", "", 50_000, 51_000)
	want("stored", "", "agent", 150_000, 152_000)
	want("stored", "", "other", 0, 0)
	if _, err := l.DropTasks(t.Context(), now.Add(time.Second), "", nil, 10); err != nil {
		t.Fatal(err)
	}
	want("deleted", "alice", "", 0, 0)
	want("deleted", "", "agent", 50_000, 51_000)
}

func due(t *testing.T, l Ledger) {
	waiting, asking := add(t, l), add(t, l)
	add(t, l)
	settle(t, l, waiting, a2a.AuthRequired)
	settle(t, l, asking, a2a.InputRequired)
	that := ledger.DuePoll{Owner: "alice", Handle: waiting.Handle, Agent: waiting.Agent}
	is := func(after time.Duration, want int) {
		t.Helper()
		got, err := l.DueTasks(t.Context(), now.Add(after), 10)
		if err != nil || len(got) != want || want == 1 && got[0] != that {
			t.Errorf("after %v: got %+v, %v, want %d", after, got, err, want)
		}
	}
	is(9*time.Second, 0)
	is(10*time.Second, 1)
	is(11*time.Second, 0)
	is(12*time.Second, 1)
	is(16*time.Minute, 1)
	is(16*time.Minute+59*time.Second, 0)
	is(17*time.Minute, 1)
	is(80*24*time.Hour, 1)
	is(80*24*time.Hour+59*time.Minute, 0)
	for handle, want := range map[string]bool{waiting.Handle: true, asking.Handle: false, "none": false} {
		if got, err := l.MakeDue(t.Context(), handle, now.Add(80*24*time.Hour)); err != nil || (got != nil) != want || want && *got != that {
			t.Errorf("MakeDue: got %v, %v, want a task: %v", got, err, want)
		}
	}
	var won atomic.Int32
	count(t, func(int) (bool, error) {
		got, err := l.DueTasks(context.Background(), now.Add(80*24*time.Hour), 10)
		won.Add(int32(len(got)))
		return len(got) > 0, err
	})
	if won.Load() != 1 {
		t.Errorf("got %d who look at a task, want 1", won.Load())
	}
	if err := l.ContinueTask(t.Context(), waiting, "m2", "r1", now); err != nil {
		t.Fatal(err)
	}
	is(81*24*time.Hour, 0)
}

// dueWithAnswer has a task whose agent has not got the answer. The agent is polled until then.
func dueWithAnswer(t *testing.T, l Ledger) {
	e := add(t, l)
	settle(t, l, e, a2a.InputRequired)
	e.SetPending(&a2a.SendRequest{Message: &a2a.Message{ID: "m2", Parts: []a2a.Part{a2a.TextPart("answer")}}})
	if err := l.ContinueTask(t.Context(), e, "m2", "r1", now); err != nil {
		t.Fatal(err)
	}
	read := func() *ledger.Record {
		t.Helper()
		e, err := l.Task(t.Context(), "alice", e.Handle)
		if err != nil || e.Pending() == nil || e.Pending().Message.Text() != "answer" {
			t.Fatalf("got %+v, %v, want the answer", e, err)
		}
		return e
	}
	e = read()
	e.Idle = true
	e.SetUndelivered(true)
	if err := l.SaveTask(t.Context(), e, "r1"); err != nil {
		t.Fatal(err)
	}
	for after, want := range map[time.Duration]int{time.Second: 0, 2 * time.Second: 1} {
		got, err := l.DueTasks(t.Context(), now.Add(after), 10)
		if err != nil || len(got) != want {
			t.Errorf("after %v: got %+v, %v, want %d", after, got, err, want)
		}
	}
	e = read()
	e.SetUndelivered(false)
	if err := l.ContinueTask(t.Context(), e, "m2", "r1", now); err != nil {
		t.Fatal(err)
	}
	read()
	got, err := l.DueTasks(t.Context(), now.Add(time.Hour), 10)
	if err != nil || len(got) > 0 {
		t.Errorf("on its way: got %+v, %v, want none", got, err)
	}
}

func addedSettled(t *testing.T, l Ledger) {
	add(t, l)
	e := &ledger.Record{
		Handle: uuid.NewString(), Owner: "alice", Client: "client", Agent: "agent", MessageID: "m1", Created: now, Updated: now.Add(time.Second), Idle: true,
		Task: &a2a.Task{ID: "upstream", ContextID: "context", Status: a2a.Status{State: a2a.InputRequired}},
	}
	if err := l.AddTask(t.Context(), e, "r1", 1); err != nil {
		t.Fatalf("though as many run as may: %v", err)
	}
	got, err := l.Task(t.Context(), "alice", e.Handle)
	if err != nil || !got.Idle || got.State() != a2a.InputRequired || !got.Updated.Equal(e.Updated) {
		t.Errorf("got %+v, %v, want it as it was written", got, err)
	}
	if has, err := l.HasContext(t.Context(), "alice", "agent", "context"); !has || err != nil {
		t.Errorf("its conversation: got %v, %v, want one", has, err)
	}
	if err := l.SaveTask(t.Context(), e, "r1"); !errors.Is(err, ledger.ErrLeaseLost) {
		t.Errorf("who wrote it follows it: got %v, want ErrLeaseLost", err)
	}
	claimed, err := l.ClaimTasks(t.Context(), "r2", nil, 10)
	if err != nil || len(claimed) != 1 || claimed[0].Handle == e.Handle {
		t.Errorf("of the two, got %v, %v, want the one that runs", claimed, err)
	}
	if err := l.ContinueTask(t.Context(), e, "m2", "r2", now.Add(2*time.Second)); err != nil {
		t.Errorf("to continue it: %v", err)
	}
}

func dropped(t *testing.T, l Ledger) {
	old, running := add(t, l), add(t, l)
	settle(t, l, old, a2a.Completed)
	for name, tc := range map[string]struct {
		before time.Time
		agent  string
		except []string
	}{
		"a task that settled at the limit": {now, "", nil},
		"another agent's":                  {now.Add(time.Hour), "other", nil},
		"an agent that is left out":        {now.Add(time.Hour), "", []string{"other", "agent"}},
	} {
		if n, err := l.DropTasks(t.Context(), tc.before, tc.agent, tc.except, 10); n != 0 || err != nil {
			t.Errorf("%s: got %d, %v, want none", name, n, err)
		}
	}
	for i, agent := range []string{"", "agent"} {
		if i > 0 {
			old = add(t, l)
			settle(t, l, old, a2a.Completed)
		}
		if n, err := l.DropTasks(t.Context(), now.Add(time.Millisecond), agent, []string{"other"}, 10); n != 1 || err != nil {
			t.Errorf("agent %q: got %d, %v, want 1", agent, n, err)
		}
		if _, err := l.Task(t.Context(), "alice", old.Handle); !errors.Is(err, ledger.ErrNoTask) {
			t.Errorf("a task that settled before the limit: got %v, want ErrNoTask", err)
		}
	}
	if _, err := l.Task(t.Context(), "alice", running.Handle); err != nil {
		t.Errorf("a task that runs: %v", err)
	}
	for range 3 {
		settle(t, l, add(t, l), a2a.Completed)
	}
	if n, err := l.DropTasks(t.Context(), now.Add(time.Hour), "", nil, 2); n != 2 || err != nil {
		t.Errorf("with a limit: got %d, %v, want 2", n, err)
	}
}

// count calls f from many goroutines at once and returns how many won.
func count(t *testing.T, f func(int) (bool, error)) (won int) {
	t.Helper()
	var wg sync.WaitGroup
	var mu sync.Mutex
	start := make(chan struct{})
	for i := range parallel {
		wg.Go(func() {
			<-start
			ok, err := f(i)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Errorf("caller %d: %v", i, err)
			}
			if ok {
				won++
			}
		})
	}
	close(start)
	wg.Wait()
	return won
}
