package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"rialto/oauth/oauthtest"
)

// TestReplicasBehindABalancer runs three servers on one PostgreSQL behind Caddy, configured as
// docs/deploy.md says, without affinity. While clients call, it restarts the servers one after the
// other, kills one that follows 50 tasks, suspends one, and takes the database away. In the rolling
// restart no call fails. Afterwards every task of which a client has the ID is there, and no message
// has reached the agent twice, although clients repeat calls that were not answered. With RIALTO_REPLICAS=long it takes
// minutes, and its log has the figures of docs/deploy.md.
func TestReplicasBehindABalancer(t *testing.T) {
	takesLong(t)
	t.Parallel() // most of it waits
	f := newFleet(t)
	for _, phase := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"a rolling restart fails no call", f.roll},
		{"tasks of a killed server continue", f.kill},
		{"tasks of a suspended server continue", f.suspend},
		{"tasks outlive an outage of the database", f.outage},
	} {
		if !t.Run(phase.name, phase.run) {
			return
		}
	}
	f.compare(t)
}

// proportions are how long and how large the test is.
type proportions struct {
	callers, calls, tasks int
	delay                 time.Duration // shutdown_delay
	suspended, away       time.Duration
	rest                  time.Duration // between two calls of a client
}

// fleet is three replicas and their balancer.
type fleet struct {
	world
	proportions
	owner    *testing.T // ends the servers; a phase would end them too early
	cable    *cable
	balancer *program

	lost atomic.Int64 // calls that were not answered with a task
	made atomic.Int64
}

func newFleet(t *testing.T) *fleet {
	return newFleetBehind(t, func(guide string) string { return guide })
}

// newFleetBehind changes the balancer's configuration in the guide.
func newFleetBehind(t *testing.T, change func(guide string) string) *fleet {
	f := &fleet{
		owner:       t,
		world:       world{agent: newCountingAgent(t), handles: map[string]given{}},
		proportions: proportions{callers: 4, calls: 200, tasks: 10, delay: 2 * time.Second, suspended: 20 * time.Second, away: 5 * time.Second, rest: 20 * time.Millisecond},
		cable:       newCable(t, oauthtest.PostgresSchema(t)),
	}
	if os.Getenv("RIALTO_REPLICAS") == "long" {
		f.proportions = proportions{callers: 16, calls: 20_000, tasks: 50, delay: 5 * time.Second, suspended: 30 * time.Second, away: 20 * time.Second}
	}
	addrs := []string{freeAddress(t), freeAddress(t), freeAddress(t)}
	f.balancer = &program{URL: "http://" + freeAddress(t)}
	config := f.configure(t)
	for _, addr := range addrs {
		f.servers = append(f.servers, start(t, addr, "serve", "--config", config, "--listen", addr))
	}
	f.balance(t, addrs, change(fenced(t, document(t, "deploy.md"), "caddyfile")))
	return f
}

// configure writes the configuration that the replicas share.
func (f *fleet) configure(t *testing.T) (file string) {
	t.Helper()
	dir := t.TempDir()
	file = filepath.Join(dir, "rialto.yaml")
	text := fmt.Sprintf("url: %s\ndatabase: %q\nsecret_file: %s\nshutdown_delay: %s\ntrusted_proxies: [127.0.0.1/32]\nagents:\n  - {name: agent, url: %q}\n",
		f.balancer.URL, f.cable.dsn, filepath.Join(dir, "secret"), f.delay, f.agent.url)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, password+"\n", "user", "add", "alice", "--password-stdin", "--config", file)
	f.token = output(t, "", "token", "--user", "alice", "--ttl", "24h", "--config", file)
	return file
}

// balance starts Caddy with a configuration that names the guide's hosts.
func (f *fleet) balance(t *testing.T, addrs []string, text string) {
	t.Helper()
	path, err := exec.LookPath("caddy")
	Need(t, err)
	at := f.balancer.URL
	text = strings.NewReplacer("rialto.example.com", at, "rialto-1:8080", addrs[0], "rialto-2:8080", addrs[1], "rialto-3:8080", addrs[2]).Replace(text)
	folder := t.TempDir()
	file := filepath.Join(folder, "Caddyfile")
	if err := os.WriteFile(file, []byte("{\n\tadmin off\n}\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "run", "--config", file, "--adapter", "caddyfile")
	cmd.Env = append(os.Environ(), "HOME="+folder, "XDG_CONFIG_HOME="+folder, "XDG_DATA_HOME="+folder)
	said := serving(t, cmd, at+"/healthz")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("Caddy:\n%.4000s", said)
		}
	})
}

// load has clients call through the balancer until done is called, which returns how many calls
// were made and how long the slowest took.
func (f *fleet) load(t *testing.T) (done func() (calls int64, slowest time.Duration)) {
	ctx, stop := context.WithCancel(t.Context())
	var calling sync.WaitGroup
	var slowest atomic.Int64
	before := f.made.Load()
	for range f.callers {
		calling.Go(func() {
			for ctx.Err() == nil {
				took := f.insistently(t, f.balancer, fmt.Sprint("quick ", f.last.Add(1)), nil)
				for most := slowest.Load(); int64(took) > most && !slowest.CompareAndSwap(most, int64(took)); {
					most = slowest.Load()
				}
				pause(f.rest)
			}
		})
	}
	return func() (int64, time.Duration) {
		stop()
		calling.Wait()
		return f.made.Load() - before, time.Duration(slowest.Load())
	}
}

// insistently sends a message as a client does that names it, and repeats the call until it is
// answered with a task.
func (f *fleet) insistently(t *testing.T, to *program, message string, wait any) time.Duration {
	args := map[string]any{"message": message, "message_id": message}
	if wait != nil {
		args["wait"] = wait
	}
	begun := time.Now()
	for n := 0; time.Since(begun) < 3*time.Minute; n++ {
		f.made.Add(1)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		err := f.send(ctx, to, args, n > 0)
		cancel()
		if err == nil {
			return time.Since(begun)
		}
		if f.lost.Add(1) <= 20 {
			t.Logf("%s: %.300v", message, err)
		}
		pause(500 * time.Millisecond)
	}
	t.Errorf("%q got no task", message)
	return time.Since(begun)
}

// begin gives a server tasks that last until the agent finishes, and returns their messages.
func (f *fleet) begin(t *testing.T, at *program) (messages []string) {
	var sending sync.WaitGroup
	for range f.tasks {
		message := fmt.Sprint("long ", f.last.Add(1))
		messages = append(messages, message)
		sending.Go(func() { f.insistently(t, at, message, 0) })
	}
	sending.Wait()
	return messages
}

// await waits until the tasks of the messages are completed, as a replica sees them.
func (f *fleet) await(t *testing.T, at *program, messages []string) time.Duration {
	t.Helper()
	begun := time.Now()
	for handle, g := range f.known() {
		if !slices.Contains(messages, g.message) {
			continue
		}
		var got task
		var err error
		for time.Since(begun) < 2*time.Minute {
			if got, err = attempt(t.Context(), at.URL, f.token, "get_task", map[string]any{"task_id": handle, "wait": 20}); err == nil && got.State == "completed" {
				break
			}
			pause(200 * time.Millisecond)
		}
		if err != nil || got.State != "completed" {
			t.Errorf("%q: got %+v, %v, want the answer", g.message, got, err)
		}
	}
	return time.Since(begun)
}

// roll restarts the servers one after the other, again and again until enough calls were made.
func (f *fleet) roll(t *testing.T) {
	begun, before := time.Now(), f.lost.Load()
	done, restarts := f.load(t), 0
	for first := f.made.Load(); restarts < len(f.servers) || f.made.Load()-first < int64(f.calls); restarts++ {
		f.restart(t, restarts%len(f.servers))
	}
	calls, slowest := done()
	if failed := f.lost.Load() - before; failed > 0 {
		t.Errorf("%d of %d calls failed", failed, calls)
	}
	t.Logf("%d restarts in %s, %d calls, none failed, the slowest took %s", restarts, time.Since(begun).Round(time.Second), calls, slowest.Round(time.Millisecond))
}

// restart stops one server as an operator does, starts it again, and waits until the balancer uses it.
func (f *fleet) restart(t *testing.T, i int) {
	t.Helper()
	f.servers[i].end(t)
	f.servers[i] = f.servers[i].again(f.owner)
	f.ready(t, f.servers[i])
}

// ready waits until the balancer has seen that a server is ready.
func (f *fleet) ready(t *testing.T, p *program) {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < time.Minute; pause(100 * time.Millisecond) {
		if resp, err := http.Get(p.URL + "/readyz"); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				pause(2 * time.Second) // the interval of its checks, twice
				return
			}
		}
	}
	t.Errorf("%s is not ready", p.URL)
}

// kill ends a server without a warning, while it follows tasks.
func (f *fleet) kill(t *testing.T) {
	done := f.load(t)
	messages, before := f.begin(t, f.servers[1]), f.lost.Load()
	f.servers[1].kill()
	f.agent.finish()
	took := f.await(t, f.servers[0], messages)
	f.servers[1] = f.servers[1].again(f.owner)
	f.ready(t, f.servers[1])
	calls, slowest := done()
	t.Logf("killed with %d tasks, completed after %s; %d calls, %d of them not answered and repeated, the slowest took %s",
		len(messages), took.Round(time.Second/10), calls, f.lost.Load()-before, slowest.Round(time.Millisecond))
}

// suspend stops a server's processor time while it follows tasks.
func (f *fleet) suspend(t *testing.T) {
	done := f.load(t)
	messages, before := f.begin(t, f.servers[2]), f.lost.Load()
	victim := f.servers[2].cmd.Process
	if err := victim.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	awake := make(chan struct{})
	go func() { // the test waits for tasks meanwhile
		defer close(awake)
		pause(f.suspended)
		_ = victim.Signal(syscall.SIGCONT)
	}()
	f.agent.finish()
	took := f.await(t, f.servers[0], messages)
	select {
	case <-awake:
		t.Errorf("the tasks were completed after %s, when the server went on", took)
	default:
		<-awake
	}
	f.ready(t, f.servers[2])
	calls, slowest := done()
	t.Logf("suspended for %s with %d tasks, completed after %s; %d calls, %d of them not answered and repeated, the slowest took %s",
		f.suspended, len(messages), took.Round(time.Second/10), calls, f.lost.Load()-before, slowest.Round(time.Millisecond))
}

// outage takes the database away from all servers, while they follow tasks and the agent finishes them.
func (f *fleet) outage(t *testing.T) {
	done := f.load(t)
	messages, before := f.begin(t, f.balancer), f.lost.Load()
	f.cable.cut(false)
	f.agent.finish()
	pause(f.away)
	f.cable.mend()
	took := f.await(t, f.balancer, messages)
	for _, p := range f.servers {
		f.ready(t, p)
	}
	calls, slowest := done()
	t.Logf("without the database for %s with %d tasks, completed %s after it was back; %d calls, %d of them not answered and repeated, the slowest took %s",
		f.away, len(messages), took.Round(time.Second/10), calls, f.lost.Load()-before, slowest.Round(time.Millisecond))
}

// compare compares what the clients and the agent know of each message.
func (f *fleet) compare(t *testing.T) {
	f.agent.finish()
	states, ids := map[string]int{}, map[string]int{}
	for handle, g := range f.known() {
		ids[g.message]++
		if g.state == "completed" { // its caller has the answer
			states["completed"]++
			continue
		}
		got := f.look(t, handle, 20)
		unsure := got.State == "failed" && strings.Contains(got.Failure.Message, unknown)
		switch {
		case got.State == "completed" && got.Message == "the answer to "+g.message:
			states["completed"]++
		case unsure && strings.HasPrefix(g.message, "quick"): // its server was killed as the message left
			states["failed, because it is not known whether the message arrived"]++
		default:
			t.Errorf("%q, given out as %+v: got %+v", g.message, g, got)
		}
	}
	for message, n := range ids {
		if n > 1 {
			t.Errorf("%q has %d tasks", message, n)
		}
	}
	for message, n := range f.agent.all() {
		if n > 1 {
			t.Errorf("the agent got %q %d times", message, n)
		}
	}
	if int64(len(ids)) != f.last.Load() {
		t.Errorf("%d messages have tasks, of %d", len(ids), f.last.Load())
	}
	t.Logf("%d messages, one task each: %v", len(ids), states)
}
