package server

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/bridge/ledger"
	"rialto/cmd/rialto/internal/config"
	"rialto/oauth"
)

// stopping is a server with one agent and an open event stream, and stop stops it;
// stopped tells how that went.
type stopping struct {
	*Server
	agent   *a2atest.Agent
	token   string
	stream  *http.Response
	stop    context.CancelFunc
	stopped chan error
	l       net.Listener
}

func startStopping(t *testing.T, wait shutdownTimes) *stopping {
	agent := a2atest.NewAgent()
	return startStoppingAt(t, agent, agent, slog.New(slog.DiscardHandler), wait)
}

// startStoppingAt is startStopping with an agent that reached may hold up.
func startStoppingAt(t *testing.T, agent *a2atest.Agent, reached a2a.Agent, log *slog.Logger, wait shutdownTimes) *stopping {
	t.Cleanup(func() { agent.Close() })
	dir := t.TempDir()
	cfg := config.Demo(dir)
	cfg.Listen = "127.0.0.1:0"
	cfg.Storage.Database, cfg.Storage.SecretFile = filepath.Join(dir, "rialto.db"), filepath.Join(dir, "rialto.key")
	cfg.Agents = []config.Agent{{Name: "slow", URL: a2atest.Serve(t, reached, agent.Card(), a2a.V10)}}
	if err := cfg.Check(); err != nil {
		t.Fatal(err)
	}
	l, err := Listen(cfg.Listen)
	if err != nil {
		t.Fatal(err)
	}
	cfg.ListensOn(l.Addr())
	s, err := New(t.Context(), cfg, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	s.shutdown = wait
	if err := s.oauth.Accounts.Add(t.Context(), "alice", "correct horse battery staple"); err != nil {
		t.Fatal(err)
	}
	token, _, err := s.oauth.Tokens.Issue(t.Context(), "alice", []string{oauth.ScopeTools}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- s.ServeBoth(ctx, l, nil) }()
	stream := post(t, cfg.URL, token, "subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`)
	if stream == nil {
		t.FailNow()
	}
	t.Cleanup(func() { stream.Body.Close() })
	return &stopping{s, agent, token, stream, stop, stopped, l}
}

// TestStoppingAnswers is about calls that wait for an agent when the server is
// stopped: they were cut off, and the client had no handle to ask again with. The
// answer does not wait for the end of streams, which here comes too late.
func TestStoppingAnswers(t *testing.T) {
	s := startStopping(t, shutdownTimes{time.Hour, time.Hour})
	answered := make(chan *http.Response, 1)
	go func() {
		answered <- post(t, s.cfg.Load().URL, s.token, "tools/call", "send_task", `"name":"send_task","arguments":{"message":"wait for it","wait":240}`)
	}()
	poll(t, time.Millisecond, func() bool { return len(s.agent.Received()) > 0 })
	s.stop()
	var resp *http.Response
	select {
	case resp = <-answered:
	case <-time.After(time.Minute):
	}
	if resp == nil {
		t.Fatal("the call was not answered")
	}
	defer resp.Body.Close()
	var answer struct {
		Result struct {
			StructuredContent struct {
				ID    string `json:"task_id"`
				State string `json:"state"`
			}
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	if got := answer.Result.StructuredContent; got.ID == "" || got.State != "working" && got.State != "submitted" {
		t.Errorf("the call that waited got %+v, want a task_id and that it works", got)
	}
	s.stream.Body.Close()
	if err := <-s.stopped; err != nil {
		t.Errorf("serve: %v", err)
	}
}

// TestAServerThatDrainsServes looks at the probe and makes a call during shutdown_delay.
func TestAServerThatDrainsServes(t *testing.T) {
	s := startStopping(t, shutdownTimes{time.Hour, time.Hour})
	s.cfg.Load().Serving.ShutdownDelay = time.Hour
	s.stop()
	for begun := time.Now(); !s.health.draining.Load() && time.Since(begun) < 10*time.Second; {
		runtime.Gosched()
	}
	for path, want := range map[string]int{"/readyz": http.StatusServiceUnavailable, "/livez": http.StatusOK, "/healthz": http.StatusOK} {
		resp, err := http.Get(s.cfg.Load().URL + path)
		if err != nil {
			t.Fatal(err)
		}
		if body := readAll(t, resp); resp.StatusCode != want || want != http.StatusOK && !strings.Contains(body, `"draining":"the server is stopping"`) {
			t.Errorf("%s: got %s, want %d", path, body, want)
		}
	}
	if resp := post(t, s.cfg.Load().URL, s.token, "tools/call", "send_task", `"name":"send_task","arguments":{"message":"echo hello"}`); resp != nil {
		if body := readAll(t, resp); !strings.Contains(body, "completed") {
			t.Errorf("got %s, want a task that is done", body)
		}
	}
	select {
	case err := <-s.stopped:
		t.Fatalf("the server stopped before the delay: %v", err)
	default:
	}
	s.l.Close() // ends the delay
	<-s.stopped
}

// silent is an agent that says nothing until it is released.
type silent struct {
	*a2atest.Agent
	released chan struct{}
}

func (a silent) Stream(ctx context.Context, r *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
	<-a.released
	return a.Agent.Stream(context.WithoutCancel(ctx), r)
}

// send begins a task, and returns its handle.
func (s *stopping) send(t *testing.T, message string) string {
	t.Helper()
	begun := readAll(t, post(t, s.cfg.Load().URL, s.token, "tools/call", "send_task", `"name":"send_task","arguments":{"message":"`+message+`","wait":0}`))
	handle := regexp.MustCompile(`"task_id":"([^"]+)"`).FindStringSubmatch(begun)
	if handle == nil {
		t.Fatalf("got %s, want a task", begun)
	}
	return handle[1]
}

// next starts the server that comes after s, with its database.
func (s *stopping) next(t *testing.T) *stopping {
	t.Helper()
	next, err := New(t.Context(), s.cfg.Load(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { next.Close() })
	return &stopping{Server: next}
}

// task returns a task of alice.
func (s *stopping) task(t *testing.T, handle string) *ledger.Record {
	t.Helper()
	alice, err := s.oauth.Accounts.Find(t.Context(), "alice")
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.store.Ledger.Task(t.Context(), alice.ID, handle)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestARestartFailsNoTask stops a server while its agent has a message and has said nothing. The next
// server found that the message may or may not have arrived: the task had failed.
func TestARestartFailsNoTask(t *testing.T) {
	agent := silent{a2atest.NewAgent(), make(chan struct{})}
	s := startStoppingAt(t, agent.Agent, agent, slog.New(slog.DiscardHandler), shutdownTimes{time.Millisecond, time.Hour})
	task := s.send(t, "echo hello")
	s.stop()
	poll(t, time.Millisecond, func() bool {
		conn, err := net.Dial("tcp", s.l.Addr().String())
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	close(agent.released)
	if err := <-s.stopped; err != nil {
		t.Errorf("serve: %v", err)
	}
	s.Close()
	if got := s.next(t).task(t, task); got.State() != a2a.Completed {
		t.Errorf("got %s %+v, want that the answer was waited for", got.State(), got.Failure)
	}
}

// TestALostAnswerIsFoundAtItsAgent stops a server at once, before its agent's first event comes. The
// agent lists its tasks, and so the next server finds the task.
func TestALostAnswerIsFoundAtItsAgent(t *testing.T) {
	agent := silent{a2atest.NewAgent(), make(chan struct{})}
	s := startStoppingAt(t, agent.Agent, lost{agent}, slog.New(slog.DiscardHandler), shutdownTimes{time.Millisecond, time.Hour})
	s.cfg.Load().Serving.DrainTimeout = 0
	task := s.send(t, "echo hello")
	s.stop()
	<-s.stopped
	s.Close()
	next := s.next(t)
	poll(t, 10*time.Millisecond, func() bool { return next.task(t, task).State().Terminal() })
	if got := next.task(t, task); got.State() != a2a.Completed || len(agent.Received()) != 1 {
		t.Errorf("got %s %+v after %d messages, want the answer to one", got.State(), got.Failure, len(agent.Received()))
	}
	close(agent.released)
}

// lost is an agent whose answers get lost on their way.
type lost struct{ silent }

func (a lost) Stream(ctx context.Context, r *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
	for range a.Agent.Stream(context.WithoutCancel(ctx), r) {
	}
	return a.silent.Stream(ctx, r)
}

// TestAStopNamesWhatItLeaves stops a server that does not wait for its agent for long.
func TestAStopNamesWhatItLeaves(t *testing.T) {
	agent := silent{a2atest.NewAgent(), make(chan struct{})}
	var logged bytes.Buffer
	s := startStoppingAt(t, agent.Agent, agent, slog.New(slog.NewTextHandler(&logged, nil)), shutdownTimes{time.Millisecond, time.Hour})
	s.cfg.Load().Serving.DrainTimeout = time.Millisecond
	task := s.send(t, "echo hello")
	s.stop()
	if err := <-s.stopped; err != nil {
		t.Errorf("serve: %v", err)
	}
	close(agent.released)
	s.Close()
	if got := logged.String(); !strings.Contains(got, "level=WARN msg=\"agents have not answered") || !strings.Contains(got, task) {
		t.Errorf("got %s, want a warning that names task %s", got, task)
	}
}

func TestStoppingEndsStreams(t *testing.T) {
	s := startStopping(t, shutdownTimes{time.Millisecond, time.Hour})
	s.stop()
	if _, err := io.Copy(io.Discard, s.stream.Body); err != nil {
		t.Errorf("the stream was cut: %v", err)
	}
	if err := <-s.stopped; err != nil {
		t.Errorf("serve: %v", err)
	}
}

// post sends a request of the current MCP revision; nil if that failed.
func post(t *testing.T, base, token, method, name, params string) *http.Response {
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params +
		`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	r, err := http.NewRequest(http.MethodPost, base+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return nil
	}
	for k, v := range map[string]string{
		"Authorization": "Bearer " + token, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name,
	} {
		if v != "" {
			r.Header.Set(k, v)
		}
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return nil
	}
	if resp.StatusCode != http.StatusOK {
		t.Errorf("%s: got %s", method, resp.Status)
	}
	return resp
}
