package e2e

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/a2a/a2aserver"
	"rialto/oauth/oauthtest"
)

// TestNothingIsLostInKills kills servers at random moments while clients send,
// look and list. Whatever handle a client was given is known ever after, a task
// that was at work comes to its end, and no message reaches the agent twice,
// though clients repeat those of which they did not hear. RIALTO_ROUNDS says how
// often to kill, 10 times if it says nothing; RIALTO_SEED repeats a run.
func TestNothingIsLostInKills(t *testing.T) {
	t.Parallel()
	t.Run("one server on SQLite", func(t *testing.T) { survive(t, filepath.Join(t.TempDir(), "rialto.db"), 1) })
	t.Run("two servers on PostgreSQL", func(t *testing.T) { survive(t, oauthtest.PostgresSchema(t), 2) })
}

// TestTasksOfKilledServersCountForNobody kills a server again and again while tasks
// run that end meanwhile, more of them altogether than one user may have running:
// the server that comes last takes another task at once.
func TestTasksOfKilledServersCountForNobody(t *testing.T) {
	t.Parallel()
	w := &world{agent: newCountingAgent(t), handles: map[string]given{}}
	w.serve(t, filepath.Join(t.TempDir(), "rialto.db"), 1)
	for range 6 {
		var calling sync.WaitGroup
		for range callers {
			calling.Go(func() {
				for range 25 {
					args := map[string]any{"message": fmt.Sprint("long ", w.last.Add(1)), "wait": 0}
					if err := w.send(t.Context(), w.servers[0], args, false); err != nil {
						t.Error(err)
					}
				}
			})
		}
		calling.Wait()
		w.servers[0].kill()
		w.agent.finish()
		w.servers[0] = w.servers[0].again(t)
	}
	last := map[string]any{"message": fmt.Sprint("quick ", w.last.Add(1))}
	if err := w.send(t.Context(), w.servers[0], last, false); err != nil {
		t.Error(err)
	}
	w.settle(t)
}

// TestRestartsFailNoTask stops servers with SIGTERM while agents have messages and say nothing for 0.1
// to 20 s, and starts them again. Such tasks had failed. RIALTO_ROUNDS says how often, once
// if it says nothing.
func TestRestartsFailNoTask(t *testing.T) {
	t.Parallel()
	t.Run("one server on SQLite", func(t *testing.T) {
		t.Parallel()
		restart(t, filepath.Join(t.TempDir(), "rialto.db"), 1)
	})
	t.Run("three servers on PostgreSQL", func(t *testing.T) {
		t.Parallel()
		restart(t, oauthtest.PostgresSchema(t), 3)
	})
}

func restart(t *testing.T, database string, replicas int) {
	rounds, r := number("RIALTO_ROUNDS", 1), rand.New(rand.NewPCG(uint64(number("RIALTO_SEED", 1)), 0))
	w := &world{agent: newCountingAgent(t), handles: map[string]given{}, drains: true}
	w.serve(t, database, replicas)
	for range rounds {
		for i := range 12 {
			silence := 100 * time.Millisecond << r.IntN(8)
			args := map[string]any{"message": fmt.Sprintf("silent %s %d", min(silence, 20*time.Second), w.last.Add(1)), "wait": 0}
			if i%2 == 0 {
				args["message_id"] = args["message"]
			}
			if err := w.send(t.Context(), w.some(r), args, false); err != nil {
				t.Fatal(err)
			}
		}
		victim := r.IntN(replicas)
		w.servers[victim].end(t)
		w.servers[victim] = w.servers[victim].again(t)
	}
	w.settle(t)
	t.Logf("%d restarts, %d tasks", rounds, len(w.handles))
}

const (
	callers = 8 // that call at one time
	patient = 2 // of them, who repeat what was not answered: the answer may come when a lease has run out
)

func survive(t *testing.T, database string, replicas int) {
	rounds, seed := number("RIALTO_ROUNDS", 10), number("RIALTO_SEED", int(rand.Uint32()))
	w := &world{agent: newCountingAgent(t), handles: map[string]given{}}
	w.serve(t, database, replicas)
	for round := range rounds {
		w.round(t, rand.New(rand.NewPCG(uint64(seed), uint64(round))))
		if t.Failed() {
			t.Fatalf("in round %d of the run with RIALTO_SEED=%d", round+1, seed)
		}
	}
	w.settle(t)
	t.Logf("%d kills, %d handles, %d messages, %d of them repeated by their clients (RIALTO_SEED=%d)", rounds, len(w.handles), w.agent.total(), w.repeated, seed)
}

func number(variable string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return n
	}
	return otherwise
}

// world is servers that share a database, their agent, and what their clients
// received.
type world struct {
	agent    *countingAgent
	servers  []*program
	token    string
	last     atomic.Int64 // the number of the last message
	drains   bool         // servers that stop wait for the agent
	repeated int

	mu      sync.Mutex
	handles map[string]given // by handle
	unsure  []map[string]any // the arguments of calls that were not answered, and named their message
}

// given is what was said when a handle was given out.
type given struct{ message, state string }

func (w *world) serve(t *testing.T, database string, replicas int) {
	dir := t.TempDir()
	config := filepath.Join(dir, "rialto.yaml")
	var addrs []string
	for range replicas {
		addrs = append(addrs, freeAddress(t))
	}
	err := os.WriteFile(config, fmt.Appendf(nil, "url: http://%s\ndatabase: %q\nsecret_file: %s\nagents:\n  - {name: agent, url: %q}\n",
		addrs[0], database, filepath.Join(dir, "secret"), w.agent.url), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	output(t, password+"\n", "user", "add", "alice", "--password-stdin", "--config", config)
	w.token = output(t, "", "token", "--user", "alice", "--ttl", "24h", "--config", config)
	for _, addr := range addrs {
		variables := []string{"RIALTO_DRAIN_TIMEOUT=0s"}
		if w.drains {
			variables = nil
		}
		w.servers = append(w.servers, startWith(t, addr, variables, "serve", "--config", config, "--listen", addr))
	}
}

// round has clients call until a server is killed, starts it again, and asks it
// for the handles that they were given.
func (w *world) round(t *testing.T, r *rand.Rand) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	burnt := w.agent.light(20 + r.Int64N(200))
	before := w.known()
	var calling sync.WaitGroup
	for i := range callers {
		own := rand.New(rand.NewPCG(r.Uint64(), 0))
		calling.Go(func() {
			for ctx.Err() == nil {
				if i < patient {
					w.repeat(ctx, w.some(own))
				}
				w.act(ctx, own)
			}
		})
	}
	<-burnt
	victim := r.IntN(len(w.servers))
	w.servers[victim].kill()
	stop()
	calling.Wait()
	w.servers[victim] = w.servers[victim].again(t)
	w.agent.finish()
	for handle := range w.known() {
		if _, old := before[handle]; !old {
			w.look(t, handle, 0)
		}
	}
}

// act makes one call of some kind to some server.
func (w *world) act(ctx context.Context, r *rand.Rand) {
	server := w.some(r)
	w.agent.tick()
	switch kind := r.IntN(10); {
	case kind < 7:
		args := map[string]any{"message": fmt.Sprint("quick ", w.last.Add(1))}
		if kind < 3 {
			args = map[string]any{"message": fmt.Sprint("long ", w.last.Add(1)), "wait": 0}
		}
		if r.IntN(2) == 0 {
			args["message_id"] = args["message"]
		}
		if w.send(context.WithoutCancel(ctx), server, args, false) != nil && args["message_id"] != nil {
			w.doubt(args)
		}
	case kind < 9:
		for handle := range w.known() { // some one of them
			_, _ = attempt(ctx, server.URL, w.token, "get_task", map[string]any{"task_id": handle, "wait": 0})
			break
		}
	default:
		_, _ = attempt(ctx, server.URL, w.token, "list_tasks", map[string]any{})
	}
	w.agent.tick()
}

// send sends a message and notes the handle that it is given. A repetition may
// find a task whose delivery is unknown.
func (w *world) send(ctx context.Context, p *program, args map[string]any, repeats bool) error {
	got, err := attempt(ctx, p.URL, w.token, "send_task", args)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if repeats {
		w.repeated++
		got.State = "" // whatever comes of it
	}
	w.handles[got.ID] = given{args["message"].(string), got.State}
	return nil
}

func (w *world) known() map[string]given {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.handles)
}

func (w *world) some(r *rand.Rand) *program { return w.servers[r.IntN(len(w.servers))] }

// doubt notes a call that was not answered.
func (w *world) doubt(args map[string]any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unsure = append(w.unsure, args)
}

// repeat makes a call again that was not answered, if there is one.
func (w *world) repeat(ctx context.Context, p *program) {
	w.mu.Lock()
	if len(w.unsure) == 0 {
		w.mu.Unlock()
		return
	}
	args := w.unsure[0]
	w.unsure = w.unsure[1:]
	w.mu.Unlock()
	if w.send(ctx, p, args, true) != nil {
		w.doubt(args)
	}
}

// look asks some server for a task, and waits for its end for so many seconds.
func (w *world) look(t *testing.T, handle string, wait int) task {
	t.Helper()
	server := w.servers[int(handle[len(handle)-1])%len(w.servers)]
	got, err := attempt(t.Context(), server.URL, w.token, "get_task", map[string]any{"task_id": handle, "wait": wait})
	if err != nil {
		t.Errorf("the task %s (%v), whose handle was given out: %v", handle, w.known()[handle], err)
	}
	return got
}

// insist repeats a call, as long as the answer is that too many tasks run: where
// several servers share a database, those of one that was killed count until their
// leases have run out.
func (w *world) insist(ctx context.Context, p *program, args map[string]any) error {
	ctx, stop := context.WithTimeout(ctx, 2*time.Minute)
	defer stop()
	again := time.NewTicker(time.Second)
	defer again.Stop()
	for {
		err := w.send(ctx, p, args, true)
		if err == nil || !strings.Contains(err.Error(), "too many tasks running") {
			return err
		}
		w.agent.finish()
		select {
		case <-again.C:
		case <-ctx.Done():
			return err
		}
	}
}

const unknown = "is not known" // as a failed task says of its message

// settle waits for the end of all tasks and compares it with what was said of
// them, and with what the agent got.
func (w *world) settle(t *testing.T) {
	var calling sync.WaitGroup
	left := make(chan map[string]any, len(w.unsure))
	for _, args := range w.unsure {
		left <- args
	}
	close(left)
	for i := range callers {
		calling.Go(func() {
			for args := range left {
				if err := w.insist(t.Context(), w.servers[i%len(w.servers)], args); err != nil {
					t.Errorf("the repetition of %q: %v", args["message"], err)
				}
			}
		})
	}
	calling.Wait()
	w.agent.finish()
	deadline := time.Now().Add(2 * time.Minute)
	for handle, g := range w.known() {
		got := w.look(t, handle, 0)
		for (got.State == "working" || got.State == "submitted") && time.Now().Before(deadline) {
			got = w.look(t, handle, 30)
		}
		n := w.agent.count(g.message)
		switch {
		case got.State == "completed" && got.Message == "the answer to "+g.message && n == 1:
		case got.State == "failed" && !w.drains && strings.Contains(got.Failure.Message, unknown) && g.state == "":
		default:
			t.Errorf("task %s was given out as %+v: got %+v after the agent heard %d times of it", handle, g, got, n)
		}
	}
	for message, n := range w.agent.all() {
		if n != 1 {
			t.Errorf("the agent got %q %d times", message, n)
		}
	}
}

// countingAgent counts each message that reaches it over the wire: an Executor
// would notice itself that it has heard it before. What is "quick" is answered
// at once, what is "long" when finish is called next, and "silent 1s" after a second without a word.
type countingAgent struct {
	*a2aexec.Executor
	url    string
	server *httptest.Server
	fuse   atomic.Int64 // moments until burnt is closed

	mu       sync.Mutex
	burnt    chan struct{}
	got      map[string]int
	finished chan struct{}
}

func newCountingAgent(t *testing.T) *countingAgent {
	a := &countingAgent{got: map[string]int{}, finished: make(chan struct{})}
	a.Executor = &a2aexec.Executor{MaxTasks: 1 << 20, Run: a.run}
	a.appear(t, freeAddress(t))
	t.Cleanup(func() { a.Close(); a.vanish() })
	return a
}

// appear serves the agent at an address, with all that it knew before.
func (a *countingAgent) appear(t *testing.T, address string) {
	l := listen(t, address)
	a.url = "http://" + l.Addr().String()
	a.server = &httptest.Server{Listener: l, Config: &http.Server{Handler: &a2aserver.Server{Agent: a, URL: a.url, Card: &a2a.Card{
		Name: "Counting", Description: "counts what it hears", Version: "1", Capabilities: a2a.Capabilities{Streaming: true},
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.Skill{{ID: "count", Name: "Count", Description: "Counts", Tags: []string{"count"}}},
	}}}}
	a.server.Start()
}

// vanish cuts all connections, and takes no more.
func (a *countingAgent) vanish() {
	a.server.Listener.Close()
	a.server.CloseClientConnections()
	a.server.Close()
}

func (a *countingAgent) run(ctx context.Context, turn *a2aexec.Turn) error {
	a.mu.Lock()
	finished := a.finished
	a.mu.Unlock()
	if strings.HasPrefix(turn.Message.Text(), "long") {
		turn.Working("on it")
		select {
		case <-finished:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	turn.Complete("the answer to " + turn.Message.Text())
	return nil
}

// Send implements a2a.Agent.
func (a *countingAgent) Send(ctx context.Context, r *a2a.SendRequest) (a2a.Event, error) {
	a.hear(r)
	return a.Executor.Send(ctx, r)
}

// Stream implements a2a.Agent.
func (a *countingAgent) Stream(ctx context.Context, r *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
	a.hear(r)
	var silence string
	_, _ = fmt.Sscanf(r.Message.Text(), "silent %s", &silence)
	pause, _ := time.ParseDuration(silence)
	return func(yield func(a2a.Event, error) bool) {
		select {
		case <-time.After(pause):
			a.Executor.Stream(ctx, r)(yield)
		case <-ctx.Done():
		}
	}
}

func (a *countingAgent) hear(r *a2a.SendRequest) {
	a.mu.Lock()
	a.got[r.Message.Text()]++
	a.mu.Unlock()
	a.tick()
}

// light returns what is closed after so many moments: of a call that begins or
// ends, and of a message that arrives.
func (a *countingAgent) light(moments int64) <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.burnt = make(chan struct{})
	a.fuse.Store(moments)
	return a.burnt
}

func (a *countingAgent) tick() {
	if a.fuse.Add(-1) == 0 {
		a.mu.Lock()
		defer a.mu.Unlock()
		close(a.burnt)
	}
}

// finish ends what is long so far.
func (a *countingAgent) finish() {
	a.mu.Lock()
	defer a.mu.Unlock()
	close(a.finished)
	a.finished = make(chan struct{})
}

func (a *countingAgent) count(message string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.got[message]
}

func (a *countingAgent) total() int { return len(a.all()) }

func (a *countingAgent) all() map[string]int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.got)
}
