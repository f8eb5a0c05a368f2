package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2aexec"
	"rialto/a2a/a2aserver"
	"rialto/bridge"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/runner"
	"rialto/mcp"
	"rialto/oauth/oauthtest"
	"rialto/store"
)

// TestFinishedAnswersOutliveOutages cuts three replicas off their database again and again while
// agents say nothing for 5 to 40 seconds. The replicas get the database back at different
// moments, sometimes only one of them loses it, and their clocks are up to two hours apart. A task
// that its agent finished is completed, and no message reaches an agent twice, though clients
// repeat those that were not answered. RIALTO_OUTAGES says how many outages there are, 2 if it
// says nothing; each has five tasks. RIALTO_SEED repeats a run.
func TestFinishedAnswersOutliveOutages(t *testing.T) {
	takesLong(t)
	t.Parallel() // most of it waits
	outages, seed := number("RIALTO_OUTAGES", 2), number("RIALTO_SEED", int(rand.Uint32()))
	longest := 30 * time.Second // of an outage
	silence := 40 * time.Second
	if outages <= 2 {
		longest, silence = 14*time.Second, 18*time.Second
	}
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	agent := newSilentAgent(t)
	w := &outageWorld{t: t, agent: agent, handles: map[string]string{}}
	dsn := oauthtest.PostgresSchema(t)
	for i, clock := range []time.Duration{0, -time.Hour, time.Hour} {
		w.replicas = append(w.replicas, newReplica(t, fmt.Sprint("replica ", i), dsn, clock, agent.url))
	}
	var sending sync.WaitGroup
	for n := range outages {
		for i := range 5 {
			quiet := between(random, 5*time.Second, silence)
			message, start := fmt.Sprintf("%d of outage %d: %s", i, n, quiet), between(random, 0, 8*time.Second)
			first := random.IntN(len(w.replicas))
			sending.Go(func() {
				pause(start)
				w.send(message, first)
			})
		}
		w.outage(random, between(random, 5*time.Second, longest))
		if t.Failed() {
			break
		}
	}
	sending.Wait()
	w.settle()
	t.Logf("%d outages, %d tasks, %d sends repeated, %d tasks taken up, RIALTO_SEED=%d", outages, len(w.handles), w.repeated, w.takenUp(), seed)
}

// pause lets time pass: outages are of real time.
func pause(d time.Duration) { <-time.After(d) }

func between(r *rand.Rand, least, most time.Duration) time.Duration {
	return (least + time.Duration(r.Int64N(int64(most-least)+1))).Round(time.Millisecond)
}

// outageWorld is replicas that share a database, each by a cable of its own.
type outageWorld struct {
	t        *testing.T
	agent    *silentAgent
	replicas []*replica

	mu       sync.Mutex
	handles  map[string]string // by message
	repeated int
}

// outage lets work begin, cuts the cables for about so long, and repairs them one after the other.
// Every fourth outage is of one replica only.
func (w *outageWorld) outage(r *rand.Rand, long time.Duration) {
	pause(between(r, 2*time.Second, 8*time.Second))
	cut := slices.Clone(w.replicas)
	if r.IntN(4) == 0 {
		i := r.IntN(len(cut))
		cut = cut[i : i+1]
	}
	frozen := r.IntN(2) == 0
	var ends sync.WaitGroup
	for _, one := range cut {
		later := between(r, 0, 5*time.Second)
		one.cable.cut(frozen)
		ends.Go(func() {
			pause(long + later)
			one.cable.mend()
		})
	}
	ends.Wait()
}

// send sends a message as a client does that names it, and repeats it until it has a handle.
func (w *outageWorld) send(message string, first int) {
	args := map[string]any{"message": message, "message_id": message, "wait": 0}
	for n := range 60 {
		got, err := w.replicas[(first+n)%len(w.replicas)].call("send_task", args)
		if err == nil && got.ID != "" {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.handles[message] = got.ID
			w.repeated += n
			return
		}
		pause(time.Second)
	}
	w.t.Errorf("%q got no handle", message)
}

// settle waits for the ends of all tasks and compares them with what the agent did.
func (w *outageWorld) settle() {
	var ends sync.WaitGroup
	for message, handle := range w.handles {
		ends.Go(func() { w.compare(message, handle) })
	}
	ends.Wait()
}

func (w *outageWorld) compare(message, handle string) {
	var got task
	var err error
	heard := w.agent.count(message)
	for begun := time.Now(); time.Since(begun) < 2*time.Minute; pause(time.Second) {
		got, err = w.replicas[0].call("get_task", map[string]any{"task_id": handle, "wait": 30})
		if err == nil && (got.State == "completed" || got.State == "failed" && heard == 0) { // otherwise its answer may be on its way
			break
		}
	}
	switch {
	case heard > 1:
		w.t.Errorf("the agent got %q %d times", message, heard)
	case heard == 0:
		w.t.Logf("%q did not reach the agent: %+v", message, got)
	case err != nil || got.State != "completed" || got.Message != "the answer to "+message:
		w.t.Errorf("%q, which the agent finished: got %+v, %v", message, got, err)
	}
}

func (w *outageWorld) takenUp() (n int) {
	for _, r := range w.replicas {
		n += strings.Count(r.log.String(), "taking up a task")
	}
	return n
}

// replica is a bridge with a clock and a connection to the database of its own.
type replica struct {
	*bridge.Bridge
	cable *cable
	log   *logBuffer
}

func newReplica(t *testing.T, name, dsn string, clock time.Duration, agent string) *replica {
	c := newCable(t, dsn)
	db, err := store.Open(t.Context(), c.dsn)
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return time.Now().Add(clock) }
	out := &logBuffer{ready: make(chan struct{})}
	log := slog.New(slog.NewTextHandler(out, nil))
	dialer := &a2aclient.Dialer{}
	agents := &directory.Directory{
		URL: "https://rialto.test", Log: log, Now: now,
		Caller: func(context.Context) directory.Caller { return directory.Caller{User: "alice", Client: "test"} },
		Dialer: dialFunc(func(ctx context.Context, a directory.AgentConfig) (directory.Conn, error) {
			return dialer.Dial(ctx, a.URL)
		}),
		Initial: []directory.AgentConfig{{Name: "silent", URL: agent}},
	}
	r := &replica{cable: c, log: out, Bridge: bridge.New(&runner.Runner{
		Directory: agents, Ledger: db.Ledger, Lists: db.Ledger, Leases: db.Ledger, Publisher: runner.Publisher{Signals: db.Ledger.Signals(log)},
		Replica: name, Now: now, Log: log,
	}, &documents.Service{Index: db.Ledger}, nil)}
	r.Start()
	t.Cleanup(func() {
		c.mend()
		r.Close()
		db.Close()
		if t.Failed() {
			t.Logf("%s:\n%s", name, out)
		}
	})
	return r
}

// call calls a tool.
func (r *replica) call(tool string, args map[string]any) (got task, err error) {
	given, err := json.Marshal(args)
	if err != nil {
		return got, err
	}
	for _, one := range r.Tools.List() {
		if one.Name != tool {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		res, err := one.Call(ctx, &mcp.Call{Tool: tool, Arguments: given, Progress: func(string) {}})
		if err != nil {
			return got, err
		}
		b, err := json.Marshal(res.Structured)
		if err == nil {
			err = json.Unmarshal(b, &got)
		}
		return got, err
	}
	return got, errors.New("there is no such tool")
}

// silentAgent says nothing for as long as a message says, and then everything.
type silentAgent struct {
	*a2aexec.Executor
	url string

	mu    sync.Mutex
	heard map[string]int
}

func newSilentAgent(t *testing.T) *silentAgent {
	a := &silentAgent{heard: map[string]int{}}
	a.Executor = &a2aexec.Executor{MaxTasks: 1 << 20, Run: func(_ context.Context, turn *a2aexec.Turn) error {
		turn.Complete("the answer to " + turn.Message.Text())
		return nil
	}}
	handler := &a2aserver.Server{Agent: a}
	server := httptest.NewServer(handler)
	a.url = server.URL
	handler.URL, handler.Card = a.url, &a2a.Card{Name: "Silent", Description: "says nothing for long", Version: "1", Capabilities: a2a.Capabilities{Streaming: true},
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.Skill{{ID: "silence", Name: "Silence", Description: "Says nothing", Tags: []string{"silence"}}}}
	t.Cleanup(func() { a.Close(); server.CloseClientConnections(); server.Close() })
	return a
}

// Stream implements a2a.Agent.
func (a *silentAgent) Stream(ctx context.Context, r *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
	message := r.Message.Text()
	a.mu.Lock()
	a.heard[message]++
	a.mu.Unlock()
	_, quiet, _ := strings.Cut(message, ": ")
	d, err := time.ParseDuration(quiet)
	if err != nil {
		d = 0
	}
	return func(yield func(a2a.Event, error) bool) {
		select {
		case <-time.After(d):
		case <-ctx.Done():
			yield(nil, ctx.Err())
			return
		}
		a.Executor.Stream(ctx, r)(yield)
	}
}

func (a *silentAgent) count(message string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.heard[message]
}

// cable leads to a database, and can be cut and repaired.
type cable struct {
	dsn string // that leads through it
	to  string

	mu     sync.Mutex
	broken chan struct{} // closed when it is repaired; nil if it is whole
	frozen bool          // it is held up, not cut
	conns  map[net.Conn]struct{}
}

func newCable(t *testing.T, dsn string) *cable {
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{to: u.Host, conns: map[net.Conn]struct{}{}}
	u.Host = l.Addr().String()
	c.dsn = u.String()
	t.Cleanup(func() { l.Close(); c.cut(false); c.mend() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			go c.connect(near)
		}
	}()
	return c
}

func (c *cable) connect(near net.Conn) {
	defer near.Close()
	if !c.carries() {
		return
	}
	far, err := net.Dial("tcp", c.to)
	if err != nil {
		return
	}
	defer far.Close()
	c.mu.Lock()
	c.conns[near], c.conns[far] = struct{}{}, struct{}{}
	c.mu.Unlock()
	go c.pass(far, near)
	c.pass(near, far)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.conns, near)
	delete(c.conns, far)
}

// carries reports whether a connection lives. It waits while the cable is frozen.
func (c *cable) carries() bool {
	c.mu.Lock()
	broken, frozen := c.broken, c.frozen
	c.mu.Unlock()
	if broken != nil && frozen {
		<-broken
		return true
	}
	return broken == nil
}

func (c *cable) pass(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		if n > 0 && c.carries() {
			_, err = to.Write(b[:n])
		}
		if err != nil {
			return
		}
	}
}

// cut ends all connections and refuses new ones, or with frozen lets all wait.
func (c *cable) cut(frozen bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken, c.frozen = make(chan struct{}), frozen
	if frozen {
		return
	}
	for conn := range maps.Keys(c.conns) {
		conn.Close()
	}
}

func (c *cable) mend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken != nil {
		close(c.broken)
		c.broken = nil
	}
}

// dialFunc is a directory.Dialer.
type dialFunc func(context.Context, directory.AgentConfig) (directory.Conn, error)

// Dial implements directory.Dialer.
func (f dialFunc) Dial(ctx context.Context, a directory.AgentConfig) (directory.Conn, error) {
	return f(ctx, a)
}
