package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2aexec"
	"rialto/bridge"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
	"rialto/internal/usage"
	"rialto/mcp"
	"rialto/store"
	"rialto/store/storetest"
)

// peer is an agent of the test's own, behind no wire. The wire is tested by
// a2aclient, a2aserver and the end-to-end tests.
type peer struct {
	a2a.Agent
	card *a2a.Card
}

func (p peer) Card() *a2a.Card { return p.card }

// running returns an agent that does with each message what run does.
func running(t *testing.T, run func(context.Context, *a2aexec.Turn) error, skills ...string) peer {
	e := &a2aexec.Executor{Run: run, Log: slog.New(slog.DiscardHandler)}
	t.Cleanup(func() { e.Close() })
	card := &a2a.Card{Name: "Test Agent", Description: "Does what tests want", Capabilities: a2a.Capabilities{Streaming: true}}
	for _, id := range skills {
		card.Skills = append(card.Skills, a2a.Skill{ID: id, Name: id})
	}
	return peer{e, card}
}

// remote is an agent behind a wire.
type remote struct {
	a2a.Agent
	*a2aclient.Dialer
	url string
}

// scripted is an agent whose answer to a message is given.
type scripted struct {
	a2a.Agent
	mu     sync.Mutex
	got    []*a2a.SendRequest
	answer func(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error]
}

func (s *scripted) Stream(ctx context.Context, r *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, r)
	return s.answer(ctx, r)
}

// Task is that of the agent it is made of, if there is one.
func (s *scripted) Task(ctx context.Context, q a2a.TaskQuery) (*a2a.Task, error) {
	if s.Agent == nil {
		return nil, a2a.Errorf(a2a.UnsupportedOperation, "nothing to tell")
	}
	return s.Agent.Task(ctx, q)
}

func (s *scripted) sent() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.got)
}

func yield(events ...any) iter.Seq2[a2a.Event, error] {
	return func(more func(a2a.Event, error) bool) {
		for _, e := range events {
			event, _ := e.(a2a.Event)
			err, _ := e.(error)
			if !more(event, err) {
				return
			}
		}
	}
}

// rig is a bridge with a database of its own.
type rig struct {
	*bridge.Bridge
	t      *testing.T
	ledger *failing
	db     *store.DB
}

// failing is a ledger that cannot be written to while it is down.
type failing struct {
	ledger.Store
	down   atomic.Bool
	failed chan struct{} // one for each write that failed
}

func (l *failing) SaveTask(ctx context.Context, e *ledger.Record, replica string) error {
	if l.down.Load() {
		l.failed <- struct{}{}
		return errors.New("disk full")
	}
	return l.Store.SaveTask(ctx, e, replica)
}

type userKey struct{}

// as makes calls for a user.
func as(ctx context.Context, user string) context.Context {
	return context.WithValue(ctx, userKey{}, user)
}

func newRig(t *testing.T, dsn string, agents map[string]peer) *rig {
	t.Helper()
	return newRigWith(t, dsn, agents, func(*bridge.Bridge) {})
}

// newRigWith makes changes to the bridge before it starts.
func newRigWith(t *testing.T, dsn string, agents map[string]peer, change func(*bridge.Bridge)) *rig {
	t.Helper()
	if dsn == "" {
		dsn = storetest.File(t, store.Open)
	}
	db, err := store.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	ledger := &failing{Store: db.Ledger, failed: make(chan struct{}, 100)}
	now := time.Now
	tasks := &runner.Runner{
		Ledger: ledger, Lists: db.Ledger, Leases: db.Ledger, Replica: t.Name() + time.Now().String(), Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Pause: time.Millisecond,
	}
	tasks.Directory = &directory.Directory{
		URL: "https://rialto.test", Log: tasks.Log, Now: func() time.Time { return now() }, // which change may replace
		Caller: func(ctx context.Context) directory.Caller {
			user, _ := ctx.Value(userKey{}).(string)
			return directory.Caller{User: user, Client: "test"}
		},
		Dialer: dialFunc(func(ctx context.Context, a directory.AgentConfig) (directory.Conn, error) {
			p, ok := agents[a.Name]
			if !ok || p.Agent == nil {
				return nil, errors.New("connection refused")
			}
			switch agent := p.Agent.(type) {
			case remote:
				return agent.Dial(ctx, agent.url)
			case directory.Conn: // it has a card of its own
				return agent, nil
			}
			return p, nil
		}),
	}
	b := bridge.New(tasks, &documents.Service{Index: db.Ledger}, nil)
	for _, name := range slices.Sorted(maps.Keys(agents)) {
		b.Directory.Initial = append(b.Directory.Initial, directory.AgentConfig{Name: name, URL: "http://" + name})
	}
	change(b)
	now = b.Runner.Now
	b.Start()
	var once sync.Once
	r := &rig{Bridge: b, t: t, ledger: ledger, db: db}
	t.Cleanup(func() { once.Do(func() { b.Close(); db.Close() }) })
	return r
}

// calls are the calls that were recorded.
type calls []usage.Record

func (c *calls) Record(u usage.Record) { *c = append(*c, u) }

func (c *calls) Charge(usage.Charge) {}

// answer is a tool's result, read as a client reads it.
type answer struct {
	documents.TaskInfo
	Text    string // of all items
	Items   []map[string]any
	IsError bool
	Results []documents.Hit
	raw     json.RawMessage
}

// call calls a tool for alice.
func (r *rig) call(tool, args string) *answer {
	r.t.Helper()
	return r.callAs("alice", tool, args, func(string) {})
}

func (r *rig) callAs(user, tool, args string, progress func(string)) *answer {
	r.t.Helper()
	for _, tl := range r.Tools.List() {
		if tl.Name != tool {
			continue
		}
		call := &mcp.Call{Tool: tool, Arguments: json.RawMessage(args), Progress: progress}
		ctx, ended := r.Tools.ObserveRequest(as(r.t.Context(), user), mcp.Operation{Method: "tools/call"})
		res, err := tl.Call(ctx, call)
		ended(mcp.Outcome{Call: call, Result: res, Err: err})
		if err != nil {
			r.t.Fatalf("%s %s: %v", tool, args, err)
		}
		return read(r.t, res)
	}
	r.t.Fatalf("there is no tool %s", tool)
	return nil
}

func read(t *testing.T, res *mcp.Result) *answer {
	t.Helper()
	a := &answer{IsError: res.IsError}
	if res.Structured != nil {
		b, err := json.Marshal(res.Structured)
		if err != nil {
			t.Fatal(err)
		}
		a.raw = b
		if err := json.Unmarshal(b, &a.TaskInfo); err != nil {
			t.Fatal(err)
		}
		var found struct{ Results []documents.Hit }
		json.Unmarshal(b, &found)
		a.Results = found.Results
	}
	var texts []string
	for _, c := range res.Content {
		b, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var item map[string]any
		if err := json.Unmarshal(b, &item); err != nil {
			t.Fatal(err)
		}
		a.Items = append(a.Items, item)
		if text, ok := item["text"].(string); ok {
			texts = append(texts, text)
		}
	}
	a.Text = strings.Join(texts, "\n")
	return a
}

func (a *answer) want(t *testing.T, state a2a.State, isError bool) {
	t.Helper()
	if a.State != state || a.IsError != isError {
		t.Fatalf("got state %q, isError %v, want %q, %v\n%s", a.State, a.IsError, state, isError, a.Text)
	}
}

// refused checks that a call was answered with words and no task.
func (a *answer) refused(t *testing.T, words string) {
	t.Helper()
	if !a.IsError || a.raw != nil || !strings.Contains(a.Text, words) {
		t.Fatalf("got isError %v, %q, want an error with %q", a.IsError, a.Text, words)
	}
}

// dialFunc is a directory.Dialer.
type dialFunc func(context.Context, directory.AgentConfig) (directory.Conn, error)

// Dial implements directory.Dialer.
func (f dialFunc) Dial(ctx context.Context, a directory.AgentConfig) (directory.Conn, error) {
	return f(ctx, a)
}
