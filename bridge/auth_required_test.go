package bridge_test

import (
	"context"
	"encoding/json"
	"iter"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
	"rialto/store"
	"rialto/store/storetest"
)

// patient is an agent that waits until its user has signed in at a page of its
// own, and then goes on without being told.
type patient struct {
	scripted
	mu       sync.Mutex
	signedIn bool
	forgot   bool
	asked    func() // about a task that it has forgotten
}

func newPatient() *patient {
	p := &patient{}
	p.answer = func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] { return yield(p.task()) }
	return p
}

func (p *patient) task() *a2a.Task {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := &a2a.Task{ID: "t1", ContextID: "c1", Status: a2a.Status{State: a2a.AuthRequired, Message: &a2a.Message{ID: "m1", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("Sign in at https://login.example/")}}}}
	if p.signedIn {
		t.Status = a2a.Status{State: a2a.Completed}
		t.Artifacts = []a2a.Artifact{{ID: "a1", Parts: []a2a.Part{a2a.TextPart("your letters")}}}
	}
	return t
}

func (p *patient) Task(context.Context, a2a.TaskQuery) (*a2a.Task, error) {
	p.mu.Lock()
	forgot, asked := p.forgot, p.asked
	p.mu.Unlock()
	if forgot {
		if asked != nil {
			asked()
		}
		return nil, a2a.Errorf(a2a.TaskNotFound, "no such task")
	}
	return p.task(), nil
}

func (p *patient) forget(is bool, asked func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forgot, p.asked = is, asked
}

func (p *patient) signIn() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.signedIn = true
}

func (p *patient) peer() peer {
	return peer{p, &a2a.Card{Name: "Letters", Capabilities: a2a.Capabilities{}}}
}

func TestATaskWhoseOwnerHasSignedInElsewhereGoesOnByItself(t *testing.T) {
	t.Parallel() // most of it waits
	for name, see := range map[string]func(*rig, string){
		"who asks for it sees it":       func(*rig, string) {},
		"its agent says so":             func(r *rig, task string) { r.Runner.Wake(task); r.waitForEnd(task) },
		"without a request or a wakeup": func(r *rig, task string) { r.waitForEnd(task) },
		"after a restart, as well":      func(r *rig, _ string) { r.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agent, dsn := newPatient(), storetest.File(t, store.Open)
			r := newRig(t, dsn, map[string]peer{"letters": agent.peer()})
			got := r.call("send_task", `{"message":"read my letters"}`)
			got.want(t, a2a.AuthRequired, false)
			if still := r.call("get_task", `{"task_id":"`+got.TaskID+`"}`); still.State != a2a.AuthRequired {
				t.Errorf("before: got %s", still.State)
			}
			agent.signIn()
			see(r, got.TaskID)
			if strings.Contains(name, "restart") {
				r = newRig(t, dsn, map[string]peer{"letters": agent.peer()})
			}
			got = r.call("get_task", `{"task_id":"`+got.TaskID+`"}`)
			got.want(t, a2a.Completed, false)
			if !strings.Contains(got.Text, "your letters") || agent.sent() != 1 {
				t.Errorf("got %q after %d messages, want the letters after one", got.Text, agent.sent())
			}
		})
	}
}

// The user signs in after a restart of the server and a day later, or the agent has
// forgotten the task by then, and no request asks for the task.
func TestAWaitForASignInOutlastsTheProcessAndADay(t *testing.T) {
	t.Parallel() // most of it waits
	for name, want := range map[string]a2a.State{"signs in": a2a.Completed, "forgotten": a2a.Failed} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var late atomic.Int64 // by how much the clock is set forward
			clock := func(b *bridge.Bridge) {
				b.Runner.Now = func() time.Time { return time.Now().Add(time.Duration(late.Load())) }
			}
			agent, dsn := newPatient(), storetest.File(t, store.Open)
			agents := map[string]peer{"letters": agent.peer()}
			r := newRigWith(t, dsn, agents, clock)
			id := r.call("send_task", `{"message":"read my letters"}`).TaskID
			r.Close()
			late.Store(int64(24 * time.Hour))
			r = newRigWith(t, dsn, agents, clock)
			if name == "forgotten" {
				agent.forget(true, func() { late.Add(int64(2 * time.Hour)) })
			} else {
				agent.signIn()
			}
			late.Store(int64(26 * time.Hour))
			r.waitForEnd(id)
			e, err := r.Runner.Ledger.Task(t.Context(), "alice", id)
			if err != nil || e.State() != want || agent.sent() != 1 {
				t.Errorf("got %s, %v after %d messages, want %s after one", e.State(), err, agent.sent(), want)
			}
		})
	}
}

// TestATaskThatItsAgentDoesNotKnowOnceIsNotLost asks for a task that waits while those
// processes of its agent answer that do not know it.
func TestATaskThatItsAgentDoesNotKnowOnceIsNotLost(t *testing.T) {
	t.Parallel() // most of it waits
	var late atomic.Int64
	agent := newPatient()
	r := newRigWith(t, "", map[string]peer{"letters": agent.peer()}, func(b *bridge.Bridge) {
		b.Runner.Now = func() time.Time { return time.Now().Add(time.Duration(late.Load())) }
	})
	id := r.call("send_task", `{"message":"read my letters"}`).TaskID
	look := func(want a2a.State) {
		t.Helper()
		r.call("get_task", `{"task_id":"`+id+`"}`).want(t, want, want == a2a.Failed)
	}
	agent.forget(true, nil)
	look(a2a.AuthRequired)
	look(a2a.AuthRequired) // at once
	agent.forget(false, nil)
	look(a2a.AuthRequired)
	late.Store(int64(2 * time.Minute))
	agent.forget(true, nil)
	look(a2a.AuthRequired) // it was known between
	late.Store(int64(4 * time.Minute))
	look(a2a.Failed)
}

// waitForEnd waits until the ledger has the end of a task, without the agent
// being asked on that account.
func (r *rig) waitForEnd(task string) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(as(r.t.Context(), "alice"), time.Minute)
	defer cancel()
	for {
		e, err := r.Runner.Ledger.Task(ctx, "alice", task)
		if err != nil {
			r.t.Fatal(err)
		}
		if e.State().Terminal() {
			return
		}
		if _, err := r.Runner.NextChange(ctx, r.Directory.Access(ctx), task, e.Updated); err != nil {
			r.t.Fatal(err)
		}
	}
}

// connected are agents that every user has connected.
type connected struct{}

func (connected) Wanted(string) bool                                      { return true }
func (connected) Connected(context.Context, string, string) (bool, error) { return true, nil }

// TestAHeldMessageOutlastsAnAgentThatIsAway has the agent unreachable just when
// its user has connected it.
func TestAHeldMessageOutlastsAnAgentThatIsAway(t *testing.T) {
	refusals := []error{
		a2a.Errorf(a2a.Unauthenticated, "who are you?"),
		&a2a.Error{Code: a2a.Unavailable, Message: "connection refused", NotSent: true},
		&a2a.Error{Code: a2a.Unavailable, Message: "not now", Remote: true},
	}
	agent := &scripted{}
	agent.answer = func(_ context.Context, req *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		if n := len(agent.got); n <= len(refusals) {
			return yield(refusals[n-1])
		}
		return yield(&a2a.Task{ID: "t1", Status: a2a.Status{State: a2a.Completed, Message: &a2a.Message{ID: "m", Parts: req.Message.Parts}}})
	}
	r := newRigWith(t, "", map[string]peer{"one": {agent, &a2a.Card{Name: "One"}}}, func(b *bridge.Bridge) {
		b.Directory.Pages, b.Directory.Connections = true, connected{}
	})
	task := r.call("send_task", `{"message":"mine alone"}`)
	task.want(t, a2a.AuthRequired, false)
	ctx := as(t.Context(), "alice")
	if err := r.Runner.Resume(ctx, r.Directory.Access(ctx), "another", task.TaskID); err != nil || agent.sent() != 1 || r.Runner.Owns(ctx, r.Directory.Access(ctx), "another", task.TaskID) {
		t.Errorf("connecting another agent: got %v after %d messages", err, agent.sent())
	}
	for _, words := range []string{"could not be reached", "could not be reached"} {
		if err := r.Runner.Resume(ctx, r.Directory.Access(ctx), "one", task.TaskID); err != nil {
			t.Fatal(err)
		}
		got := r.call("get_task", `{"task_id":"`+task.TaskID+`"}`)
		got.want(t, a2a.AuthRequired, false)
		if !strings.Contains(got.Text, words) || !r.Runner.Owns(ctx, r.Directory.Access(ctx), "one", task.TaskID) {
			t.Errorf("got %q, want %q", got.Text, words)
		}
	}
	if err := r.Runner.Resume(ctx, r.Directory.Access(ctx), "one", task.TaskID); err != nil {
		t.Fatal(err)
	}
	got := r.call("get_task", `{"task_id":"`+task.TaskID+`"}`)
	got.want(t, a2a.Completed, false)
	if got.Message != "mine alone" || agent.sent() != 4 {
		t.Errorf("the agent got %q in the %dth message, want what was held", got.Message, agent.sent())
	}
}

// between does something after the first look at a task.
type between struct {
	ledger.Store
	do func()
}

func (l *between) Task(ctx context.Context, owner, handle string) (*ledger.Record, error) {
	e, err := l.Store.Task(ctx, owner, handle)
	if do := l.do; do != nil {
		l.do = nil
		do()
	}
	return e, err
}

// TestAnAnswerDoesNotReachTheNextQuestion has another answer arrive after a page
// has looked which question there is, and before its own answer is sent.
func TestAnAnswerDoesNotReachTheNextQuestion(t *testing.T) {
	asks := 0
	agent := &scripted{}
	agent.answer = func(_ context.Context, req *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		asks++
		return yield(&a2a.Task{ID: "t1", ContextID: "c1", Status: a2a.Status{State: a2a.InputRequired, Message: &a2a.Message{ID: "q" + strings.Repeat("!", asks), Parts: []a2a.Part{a2a.TextPart("and then?")}}}})
	}
	raced := &between{}
	r := newRigWith(t, "", map[string]peer{"one": {agent, &a2a.Card{Name: "One"}}}, func(b *bridge.Bridge) {
		raced.Store = b.Runner.Ledger
		b.Runner.Ledger = raced
	})
	id := r.call("send_task", `{"message":"begin"}`).TaskID
	ctx := as(t.Context(), "alice")
	page, err := r.Documents.TaskView(ctx, r.Directory.Access(ctx), id)
	if err != nil {
		t.Fatal(err)
	}
	raced.do = func() { r.call("send_task", `{"task_id":"`+id+`","message":"first"}`) }
	err = r.Documents.AnswerTask(ctx, r.Directory.Access(ctx), id, runner.Reply{Pause: page.Pause, Once: "x", Content: json.RawMessage(`{"answer":"second"}`)})
	if err != ledger.ErrTaskBusy || agent.sent() != 2 {
		t.Errorf("got %v after %d messages, want it refused after the first answer", err, agent.sent())
	}
}

// stranger is an agent that refuses unknown callers.
type stranger struct{ scripted }

func (*stranger) Send(context.Context, *a2a.SendRequest) (a2a.Event, error) {
	return nil, a2a.Errorf(a2a.Unauthenticated, "who are you?")
}

func TestWhoFetchesFromAnAgentIsToldToConnectIt(t *testing.T) {
	card := &a2a.Card{Name: "One", Skills: []a2a.Skill{{ID: "fetch", Name: "Fetch"}}}
	r := newRigWith(t, "", map[string]peer{"one": {&stranger{}, card}}, func(b *bridge.Bridge) {
		b.Directory.Pages, b.Directory.Connections = true, connected{}
	})
	r.call("fetch", `{"id":"doc:one:letter"}`).refused(t, "https://rialto.test/connect/one")
}

// A poll must not keep the output of an agent in memory.
func TestATaskThatIsLookedAfterIsNotHeld(t *testing.T) {
	p, gone := newPatient(), make(chan struct{})
	p.answer = func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		said := p.task()
		runtime.AddCleanup(said.Status.Message, func(struct{}) { close(gone) }, struct{}{})
		return yield(said)
	}
	r := newRig(t, "", map[string]peer{"one": p.peer()})
	r.call("send_task", `{"message":"go"}`).want(t, a2a.AuthRequired, false)
	for {
		select {
		case <-gone:
			return
		default:
			runtime.GC()
		}
	}
}

// hung is an agent that takes calls and answers none. The channel has one element for
// each.
type hung struct {
	patient
	asked chan struct{}
}

func (h *hung) Task(ctx context.Context, _ a2a.TaskQuery) (*a2a.Task, error) {
	h.asked <- struct{}{}
	<-ctx.Done()
	return nil, ctx.Err()
}

// outbox has the signals of a replica that hears none.
type outbox chan ledger.Signal

func (s outbox) Send(_ context.Context, all ...ledger.Signal) error {
	for _, one := range all {
		s <- one
	}
	return nil
}
func (outbox) Listen(ctx context.Context, _ func(ledger.Signal)) { <-ctx.Done() }

// TestAnAgentThatHangsKeepsNobodyFromTheOthers has tasks wait at an agent that does not
// answer, and more of them due than one is looked at in a minute if each has to wait for it.
func TestAnAgentThatHangsKeepsNobodyFromTheOthers(t *testing.T) {
	t.Parallel() // most of it waits
	const many = 300
	dead, mail, news := &hung{asked: make(chan struct{}, 10*many)}, newPatient(), newPatient()
	signals := make(outbox, 100)
	r := newRigWith(t, "", map[string]peer{"dead": {dead, &a2a.Card{Name: "Dead"}}, "mail": mail.peer(), "news": news.peer()}, func(b *bridge.Bridge) { b.Runner.Publisher.Signals = signals })
	atMail := r.call("send_task", `{"agent":"mail","message":"read my letters"}`).TaskID
	atNews := r.call("send_task", `{"agent":"news","message":"read me the news"}`).TaskID
	for i := range many {
		n := strconv.Itoa(i)
		e := &ledger.Record{Handle: "h" + n, Owner: "alice", Agent: "dead", MessageID: "m", Created: time.Now(), Updated: time.Now(), Idle: true,
			Task: &a2a.Task{ID: a2a.TaskID(n), Status: a2a.Status{State: a2a.AuthRequired}}}
		if err := r.db.Ledger.AddTask(t.Context(), e, "", 1); err != nil {
			t.Fatal(err)
		}
	}
	<-dead.asked
	r.Runner.Wake("elsewhere")
	for s := range signals {
		if s.About == ledger.AboutAgent && s.Handle == "elsewhere" {
			break
		}
	}
	mail.signIn()
	r.Runner.Wake(atMail)
	r.waitForEnd(atMail)
	if n := len(dead.asked); n >= 50 {
		t.Errorf("the agent that hangs was asked %d times before another's news was heard", n)
	}
	news.signIn()
	r.waitForEnd(atNews) // without a wakeup
	if n := len(dead.asked); n >= many {
		t.Errorf("the agent that hangs was asked %d times before another was asked", n)
	}
}

// TestAConnectedAgentThatNamesAPageSendsItsUserThere asks for a grant at an address of the
// agent's own, of a user who has connected the agent: its page here has nothing to do.
func TestAConnectedAgentThatNamesAPageSendsItsUserThere(t *testing.T) {
	for words, want := range map[string]string{
		"Allow me at https://calendar.test/allow, please.": "https://rialto.test/answer/",
		"Sign in.": "https://rialto.test/connect/one?task=",
	} {
		agent := &scripted{}
		agent.answer = func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
			return yield(&a2a.Task{ID: "t1", Status: a2a.Status{State: a2a.AuthRequired, Message: &a2a.Message{ID: "m", Parts: []a2a.Part{a2a.TextPart(words)}}}})
		}
		r := newRigWith(t, "", map[string]peer{"one": {agent, &a2a.Card{Name: "One"}}}, func(b *bridge.Bridge) {
			b.Directory.Pages, b.Directory.Connections = true, connected{}
		})
		task := r.call("send_task", `{"message":"mine"}`)
		if !strings.HasPrefix(task.AnswerURL, want) {
			t.Errorf("%q: the answer is given at %q", words, task.AnswerURL)
		}
		page, err := r.Documents.TaskView(as(t.Context(), "alice"), r.Directory.Access(as(t.Context(), "alice")), task.TaskID)
		if err != nil || page.Connect != strings.Contains(want, "connect") || !page.Connect && page.Visit != "https://calendar.test/allow" {
			t.Errorf("%q: the page has %+v, %v", words, page, err)
		}
	}
}
