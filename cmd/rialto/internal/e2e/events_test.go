package e2e

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"rialto/a2a/a2aexec"
	"rialto/oauth/oauthtest"
)

// TestEventsOutliveKills kills servers while tasks end whose events go to webhooks. Those of every other
// user fail three of ten times, and those of the rest work, of which half come within 2 seconds of the
// change and nearly all within a minute. Each event is delivered at least once, in the order of its task
// through all types, and none to another user. RIALTO_EVENT_SUBSCRIPTIONS, RIALTO_EVENT_TASKS and
// RIALTO_EVENT_KILLS scale it: the full proof has 200, 1000 and 10.
func TestEventsOutliveKills(t *testing.T) {
	takesLong(t)
	t.Parallel()
	t.Run("one server on SQLite", func(t *testing.T) { proveEvents(t, filepath.Join(t.TempDir(), "rialto.db"), 1) })
	t.Run("two servers on PostgreSQL", func(t *testing.T) { proveEvents(t, oauthtest.PostgresSchema(t), 2) })
}

const eventAgents = 10 // of one address: each user has a subscription for each

// eventWorld is servers, their users, and what the webhooks of the users got.
type eventWorld struct {
	t       *testing.T
	servers []*program
	tokens  []string // by user
	failing int      // of 100 deliveries to every other user

	mu       sync.Mutex
	tasks    map[string]eventTask      // by handle
	stopped  map[string]bool           // handles of tasks that a kill kept from completing
	got      map[string]map[string]int // events by task, with the number of their deliveries
	order    map[string][]int64        // when the changes of a task were, as their events came first
	delays   []time.Duration           // from the change to the delivery, to receivers that work
	attempts map[string]int            // by subscription and event
	total    int
	refused  int
}

// eventTask is whose task it is, and at which agent.
type eventTask struct {
	owner, agent int
	asks         bool // two questions
}

func proveEvents(t *testing.T, database string, replicas int) {
	subscriptions, tasks, kills := number("RIALTO_EVENT_SUBSCRIPTIONS", 40), number("RIALTO_EVENT_TASKS", 200), number("RIALTO_EVENT_KILLS", 1)
	w := &eventWorld{t: t, failing: 30, tasks: map[string]eventTask{}, got: map[string]map[string]int{}, order: map[string][]int64{}, attempts: map[string]int{}}
	hooks := freeAddress(t)
	serveAt(t, hooks, w)
	w.serve(database, replicas, hooks, max(1, subscriptions/(2*eventAgents)))
	for user := range w.tokens {
		for agent := range eventAgents {
			w.subscribe(user, agent, "task.completed", hooks)
			w.subscribe(user, agent, "task.input_required", hooks)
		}
	}
	began := time.Now()
	w.work(tasks, kills)
	if answer := w.subscribe(0, 0, "task.completed", hooks); !strings.Contains(answer, "deliveryStatus") {
		t.Errorf("a subscription was not there to be renewed after the kills: %s", answer)
	}
	sent, presumed := time.Since(began), w.dropStopped()
	most := 0
	patience := time.Duration(60+tasks/5) * time.Second
	if !poll(100*time.Millisecond, patience, func() bool { return w.missing() == 0 }) {
		t.Fatalf("%d of %d tasks have events that were not delivered", w.missing(), len(w.tasks))
	}
	for _, p := range w.servers {
		most = max(most, resident(t, p))
	}
	w.check()
	t.Logf("%d subscriptions, %d tasks in %v, of which a kill stopped %d, %d kills, %d deliveries of which %d refused, all after %v, %d MiB resident",
		len(w.tokens)*eventAgents*2, len(w.tasks), sent.Round(time.Second), presumed, kills, w.total, w.refused, time.Since(began).Round(time.Second), most>>10)
	slices.Sort(w.delays)
	half, nearly := w.delays[len(w.delays)/2], w.delays[len(w.delays)*99/100]
	t.Logf("%d deliveries to receivers that work: p50 %v, p99 %v, at most %v", len(w.delays), half, nearly, w.delays[len(w.delays)-1])
	if half > 2*time.Second || nearly > time.Minute {
		t.Errorf("events come late: p50 %v, p99 %v", half, nearly)
	}
	if most > 512<<10 {
		t.Errorf("a server takes %d KiB", most)
	}
}

func (w *eventWorld) serve(database string, replicas int, hooks string, users int) {
	// "ask" is answered by two questions, one after the other, everything else at once.
	agent := newAgent(w.t, func(_ context.Context, turn *a2aexec.Turn) error {
		switch text := turn.Message.Text(); {
		case strings.HasPrefix(text, "ask"):
			turn.Ask("question 1")
		case text == "again":
			turn.Ask("question 2")
		default:
			turn.Complete("done")
		}
		return nil
	})
	dir, addrs := w.t.TempDir(), []string{}
	for range replicas {
		addrs = append(addrs, freeAddress(w.t))
	}
	text := fmt.Sprintf("url: http://%s\ndatabase: %q\nsecret_file: %s\npush:\n  allowed_hosts: [%q]\nagents:\n", addrs[0], database, filepath.Join(dir, "secret"), hooks)
	for i := range eventAgents {
		text += fmt.Sprintf("  - {name: agent%d, url: %q}\n", i, agent)
	}
	config := filepath.Join(dir, "rialto.yaml")
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	for i := range users {
		name := fmt.Sprint("user", i)
		output(w.t, password+"\n", "user", "add", name, "--password-stdin", "--config", config)
		w.tokens = append(w.tokens, output(w.t, "", "token", "--user", name, "--ttl", "24h", "--config", config))
	}
	for _, addr := range addrs {
		w.servers = append(w.servers, start(w.t, addr, "serve", "--config", config, "--listen", addr))
	}
}

// secretOf returns the secret of the webhooks of a user.
func secretOf(user int) string {
	return "whsec_" + base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%032d", user))
}

func (w *eventWorld) subscribe(user, agent int, name, hooks string) (answer string) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"events/subscribe","params":{"name":%q,"arguments":{"agent":"agent%d"},"cursor":null,"ttlMs":null,
		"delivery":{"mode":"webhook","url":"http://%s/%d","secret":%q}}}`, name, agent, hooks, user, secretOf(user))
	resp := do(w.t, "POST", w.servers[0].URL+"/mcp", body, "Authorization", "Bearer "+w.tokens[user], "Content-Type", "application/json", "MCP-Protocol-Version", "2025-11-25")
	if !strings.Contains(string(resp.body), `"id":"sub_`) {
		w.t.Fatalf("events/subscribe: %s", resp.body)
	}
	return string(resp.body)
}

// work has clients begin tasks, and kills servers meanwhile.
func (w *eventWorld) work(tasks, kills int) {
	var next, done atomic.Int64
	var calling sync.WaitGroup
	for range callers {
		calling.Go(func() {
			for n := int(next.Add(1)); n <= tasks; n = int(next.Add(1)) {
				w.begin(n)
				done.Add(1)
			}
		})
	}
	for kill := range kills {
		before := tasks * (kill + 1) / (kills + 1)
		if !poll(time.Millisecond, time.Hour, func() bool { return int(done.Load()) >= before }) {
			w.t.Fatalf("%d of %d tasks were begun before kill %d", done.Load(), before, kill+1)
		}
		victim := rand.IntN(len(w.servers))
		w.servers[victim].kill()
		again := w.servers[victim].again(w.t)
		w.mu.Lock()
		w.servers[victim] = again
		w.mu.Unlock()
	}
	calling.Wait()
}

// begin begins a task, and repeats the message until it is answered: one in ten asks twice.
func (w *eventWorld) begin(n int) {
	owner, agent := n%len(w.tokens), n/len(w.tokens)%eventAgents
	text := fmt.Sprint("go ", n)
	if n%10 == 0 {
		text = fmt.Sprint("ask ", n)
	}
	args := map[string]any{"agent": fmt.Sprint("agent", agent), "message": text, "message_id": fmt.Sprint("m", n), "wait": 5}
	got := w.call(owner, args)
	w.mu.Lock()
	w.tasks[got.ID] = eventTask{owner, agent, n%10 == 0}
	w.mu.Unlock()
	if n%10 == 0 {
		for i, answer := range []string{"again", "finish"} {
			w.call(owner, map[string]any{"task_id": got.ID, "message": answer, "message_id": fmt.Sprint("m", n, "-", i), "wait": 5})
		}
	}
}

func (w *eventWorld) call(owner int, args map[string]any) task {
	for deadline := time.Now().Add(2 * time.Minute); ; {
		w.mu.Lock()
		p := w.servers[rand.IntN(len(w.servers))]
		w.mu.Unlock()
		got, err := attempt(w.t.Context(), p.URL, w.tokens[owner], "send_task", args)
		if err == nil || strings.Contains(err.Error(), "takes no more messages") { // a kill made it fail
			return got
		}
		if time.Now().After(deadline) {
			w.t.Errorf("send_task %v: %v", args, err)
			return task{}
		}
		pause(20 * time.Millisecond) // the server starts
	}
}

// dropStopped leaves out the tasks that a kill kept from completing: the agent had their message, and
// no server its answer. It returns how many there were.
func (w *eventWorld) dropStopped() (n int) {
	failed := map[string]bool{}
	var asking sync.WaitGroup
	handles := make(chan string, len(w.tasks))
	for handle := range w.tasks {
		handles <- handle
	}
	close(handles)
	for range callers {
		asking.Go(func() {
			for handle := range handles {
				got := call(w.t, w.servers[0].URL, w.tokens[w.tasks[handle].owner], "get_task", map[string]any{"task_id": handle, "wait": 60})
				if got.State != "completed" {
					w.mu.Lock()
					failed[handle] = true
					w.mu.Unlock()
				}
			}
		})
	}
	asking.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = failed
	return len(failed)
}

// ServeHTTP takes a webhook, or refuses it.
func (w *eventWorld) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // of a server that was killed
	}
	var user int
	_, err = fmt.Sscanf(r.URL.Path, "/%d", &user)
	hook, err2 := standardwebhooks.NewWebhook(secretOf(user))
	if err != nil || err2 != nil || hook.Verify(body, r.Header) != nil {
		w.t.Errorf("a webhook that is not signed: %s %s", r.URL, body)
		return
	}
	var e struct {
		Type, Challenge, EventID, Name string
		Timestamp                      time.Time
		Data                           struct {
			Task    string `json:"task_id"`
			Agent   string
			Summary string
		}
	}
	if err := json.Unmarshal(body, &e); err != nil {
		w.t.Error(err)
	}
	if e.Type == "verification" {
		fmt.Fprintf(rw, `{"challenge":%q}`, e.Challenge)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.total++
	key := r.Header.Get("X-MCP-Subscription-Id") + e.EventID
	n := w.attempts[key]
	w.attempts[key]++
	sum := fnv.New32a()
	fmt.Fprint(sum, n, key)
	if user%2 == 0 && n < 4 && int(sum.Sum32()%100) < w.failing {
		w.refused++
		if n%2 == 0 {
			rw.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		panic(http.ErrAbortHandler) // breaks the connection
	}
	if e.Type != "" {
		w.t.Errorf("got %s", body)
		return
	}
	if w.got[e.Data.Task] == nil {
		w.got[e.Data.Task] = map[string]int{}
	}
	event := fmt.Sprint(e.Name, " ", user, " ", e.Data.Agent, " ", e.EventID)
	if w.got[e.Data.Task][event]++; w.got[e.Data.Task][event] == 1 {
		w.order[e.Data.Task] = append(w.order[e.Data.Task], e.Timestamp.UnixMilli())
		if user%2 == 1 {
			w.delays = append(w.delays, time.Since(e.Timestamp))
		}
	}
}

// missing returns how many tasks have events that were not delivered.
func (w *eventWorld) missing() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for handle, of := range w.tasks {
		told := strings.Contains(fmt.Sprint(w.got[handle]), "task.completed") && (!of.asks || len(w.order[handle]) >= 3)
		if !told && !w.stopped[handle] {
			n++
		}
	}
	return n
}

// check compares what was delivered with what was done.
func (w *eventWorld) check() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for handle, events := range w.got {
		of, known := w.tasks[handle]
		for event := range events {
			if !known || !strings.Contains(event, fmt.Sprintf(" %d agent%d ", of.owner, of.agent)) {
				w.t.Errorf("task %s of user %d at agent%d: got %s", handle, of.owner, of.agent, event)
			}
		}
	}
	for handle, changes := range w.order {
		if !slices.IsSorted(changes) {
			w.t.Errorf("task %s: got its changes in the order %v", handle, changes)
		}
	}
}
