package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2aexec"
)

// repeater is an agent that counts the messages of each text, which wait
// until it is opened.
type repeater struct {
	url  string
	open chan struct{}
	mu   sync.Mutex
	got  map[string]int
}

func newRepeater(t *testing.T) *repeater {
	r := &repeater{open: make(chan struct{}), got: map[string]int{}}
	r.url = newAgent(t, func(ctx context.Context, turn *a2aexec.Turn) error {
		r.mu.Lock()
		r.got[turn.Message.Text()]++
		r.mu.Unlock()
		turn.Working("on it")
		select {
		case <-r.open:
			turn.Complete("did " + turn.Message.Text())
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	return r
}

// times returns how often the agent got a message with this text.
func (r *repeater) times(text string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.got[text]
}

// named returns a message that is the same each time.
func named(id, text string) *a2a.SendRequest {
	return &a2a.SendRequest{Message: &a2a.Message{ID: id, Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(text)}}}
}

// begun returns the task that a message has begun, sent or streamed.
func begun(t *testing.T, c *a2aclient.Client, req *a2a.SendRequest, stream bool) *a2a.Task {
	if !stream {
		now := *req
		now.ReturnImmediately = true
		e, err := c.Send(t.Context(), &now)
		task, ok := e.(*a2a.Task)
		if err != nil || !ok {
			t.Errorf("got %T, %v, want a task", e, err)
			return &a2a.Task{}
		}
		return task
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	for e, err := range c.Stream(ctx, req) {
		task, ok := e.(*a2a.Task)
		if err != nil || !ok {
			t.Errorf("got %T, %v, want a task first", e, err)
			return &a2a.Task{}
		}
		return task
	}
	t.Error("the stream told nothing")
	return &a2a.Task{}
}

// before runs the program before the agent, and returns how to run it again and
// the tokens of two users.
func (r *repeater) before(t *testing.T) (run func() *program, tokens map[string]string) {
	dir, addr := t.TempDir(), freeAddress(t)
	path := filepath.Join(dir, "rialto.yaml")
	err := os.WriteFile(path, fmt.Appendf(nil, "url: http://%s\ndatabase: %q\nsecret_file: %s\ngrpc: {listen: %q}\nagents:\n  - {name: agent, url: %q}\n",
		addr, filepath.Join(dir, "rialto.db"), filepath.Join(dir, "secret"), freeAddress(t), r.url), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	tokens = map[string]string{}
	for _, user := range []string{"alice", "bob"} {
		output(t, password+"\n", "user", "add", user, "--password-stdin", "--config", path)
		tokens[user] = output(t, "", "token", "--user", user, "--scope", "a2a:discover a2a:publish", "--config", path)
	}
	return func() *program { return start(t, addr, "serve", "--config", path, "--listen", addr) }, tokens
}

// TestAMessageThatIsSentAgainIsTheSameMessage has clients of each generation that
// names messages send one several times: at the same time, while its task runs,
// after the server was killed, and when the task has ended.
func TestAMessageThatIsSentAgainIsTheSameMessage(t *testing.T) {
	t.Parallel()
	agent := newRepeater(t)
	run, token := agent.before(t)
	p := run()
	ids := map[a2a.Interface]a2a.TaskID{}
	for _, way := range kitWays {
		text := "work in " + string(way.Version) + " over " + string(way.Binding)
		c := kitClient(t, p.URL+"/a2a/agent", token["alice"], way)
		tasks := make(chan a2a.TaskID, 8)
		for i := range cap(tasks) {
			go func() { tasks <- begun(t, c, named("m", text), i%2 == 0).ID }()
		}
		ids[way] = <-tasks
		for range cap(tasks) - 1 {
			if id := <-tasks; id != ids[way] {
				t.Errorf("%s, at the same time: got the tasks %s and %s", text, id, ids[way])
			}
		}
		if got := begun(t, kitClient(t, p.URL+"/a2a/agent", token["bob"], way), named("m", text), false); got.ID == ids[way] {
			t.Errorf("%s: another user got the same task", text)
		}
	}
	p.kill()
	p = run()
	for _, way := range kitWays {
		text := "work in " + string(way.Version) + " over " + string(way.Binding)
		c := kitClient(t, p.URL+"/a2a/agent", token["alice"], way)
		if got := begun(t, c, named("m", text), way.Binding == a2a.HTTPJSON); got.ID != ids[way] || got.Status.State.Idle() {
			t.Errorf("%s, running: got %+v, want the task %s", text, got, ids[way])
		}
	}
	close(agent.open)
	for _, way := range kitWays {
		text := "work in " + string(way.Version) + " over " + string(way.Binding)
		c := kitClient(t, p.URL+"/a2a/agent", token["alice"], way)
		e, err := c.Send(t.Context(), named("m", text))
		if task, ok := e.(*a2a.Task); err != nil || !ok || task.ID != ids[way] || task.Status.State != a2a.Completed {
			t.Errorf("%s, at its end: got %+v, %v, want the task %s", text, e, err, ids[way])
		}
		if task := play(t, c, named("m", text)); task == nil || task.ID != ids[way] || task.Status.State != a2a.Completed {
			t.Errorf("%s, after its end: got %+v, want the task %s", text, task, ids[way])
		}
		if n := agent.times(text); n != 2 { // alice's and bob's
			t.Errorf("%s: the agent got it %d times, want once from each user", text, n)
		}
		if got := begun(t, c, named("m", text+", and more"), false); got.ID == ids[way] {
			t.Errorf("%s: other words under the same name got the same task", text)
		}
	}
}

// TestATaskThatIsNamedTwiceIsOneTask has a client of 0.1, which names tasks and not
// messages, send one name several times: at the same time, after the server was
// killed, and when the task has ended, which begins another.
func TestATaskThatIsNamedTwiceIsOneTask(t *testing.T) {
	t.Parallel()
	agent := newRepeater(t)
	run, token := agent.before(t)
	p := run()
	call := func(method, params string) string {
		body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL+"/a2a/agent", strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return ""
		}
		req.Header = http.Header{"Authorization": {"Bearer " + token["alice"]}, "Content-Type": {"application/json"}}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err.Error() // the server is killed while one call waits
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return string(b)
	}
	send := func() string {
		return call("tasks/send", `{"id":"mine","message":{"role":"user","parts":[{"type":"text","text":"work"}]}}`)
	}
	const busy, done = `"code":-32009`, `"state":"completed"`
	answers := make(chan string, 4)
	for range cap(answers) {
		go func() { answers <- send() }()
	}
	for range cap(answers) - 1 { // all but the one that waits for the end
		if got := <-answers; !strings.Contains(got, busy) {
			t.Errorf("at the same time: got %s, want that the task is at work", got)
		}
	}
	again := time.NewTicker(50 * time.Millisecond) // a user may not ask much more often
	defer again.Stop()
	for !strings.Contains(call("tasks/get", `{"id":"mine"}`), `"state":"working"`) {
		<-again.C // until the agent has it; otherwise its delivery is unknown after the kill
	}
	if n := agent.times("work"); n != 1 {
		t.Errorf("the agent got it %d times", n)
	}
	p.kill()
	p = run()
	if got := send(); !strings.Contains(got, busy) {
		t.Errorf("after a kill: got %s, want that the task is at work", got)
	}
	close(agent.open)
	call("tasks/resubscribe", `{"id":"mine"}`) // to its end
	if got := call("tasks/get", `{"id":"mine"}`); !strings.Contains(got, done) {
		t.Errorf("got %s, want it completed", got)
	}
	if got := send(); !strings.Contains(got, done) || agent.times("work") != 2 {
		t.Errorf("after its end: got %s after %d messages, want another task", got, agent.times("work"))
	}
}
