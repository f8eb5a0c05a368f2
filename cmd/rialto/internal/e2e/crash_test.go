package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // oauthtest.PostgresSchema opens the database by it

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/a2a/a2aserver"
	"rialto/oauth/oauthtest"
)

// slowAgent is an A2A agent, behind real HTTP, whose every task works until
// finish is closed. messages counts what it was sent.
type slowAgent struct {
	url      string
	finish   chan struct{}
	messages atomic.Int64
}

func newSlowAgent(t *testing.T) *slowAgent {
	a := &slowAgent{finish: make(chan struct{})}
	a.url = newAgent(t, func(ctx context.Context, turn *a2aexec.Turn) error {
		a.messages.Add(1)
		turn.Working("on it")
		select {
		case <-a.finish:
			turn.Complete("the answer to " + turn.Message.Text())
		case <-ctx.Done():
		}
		return ctx.Err()
	})
	return a
}

// newAgent serves an A2A agent that does with each message what run does, and
// returns its address.
func newAgent(t *testing.T, run func(context.Context, *a2aexec.Turn) error) string {
	exec := &a2aexec.Executor{Run: run, MaxTasks: 2000}
	face := &a2aserver.Server{Agent: exec, Card: &a2a.Card{
		Name: "Test", Description: "does what the test wants", Version: "1", Capabilities: a2a.Capabilities{Streaming: true},
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.Skill{{ID: "wait", Name: "Wait", Description: "Waits", Tags: []string{"wait"}}},
	}}
	srv := httptest.NewUnstartedServer(face)
	face.URL = "http://" + srv.Listener.Addr().String() // before the card is read
	srv.Start()
	t.Cleanup(func() { exec.Close(); srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

// task is what a tool tells of one.
type task struct {
	ID        string `json:"task_id"`
	State     string `json:"state"`
	Message   string `json:"message"`
	Artifacts []struct {
		Name  string
		Parts []struct{ Text string }
	} `json:"artifacts"`
	Failure struct {
		Message string `json:"message"`
	} `json:"error"`
}

// call calls a tool as a client of the current MCP revision does.
func call(t *testing.T, base, token, tool string, args map[string]any) task {
	t.Helper()
	got, err := attempt(t.Context(), base, token, tool, args)
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return got
}

// attempt is call for those who expect that the server may be gone.
func attempt(ctx context.Context, base, token, tool string, args map[string]any) (task, error) {
	b, err := toolAnswer(ctx, base, token, tool, args)
	if err != nil {
		return task{}, err
	}
	var answer struct {
		Result struct{ StructuredContent task }
	}
	if err := json.Unmarshal(b, &answer); err != nil || answer.Result.StructuredContent.ID == "" {
		return task{}, fmt.Errorf("got %s", b)
	}
	return answer.Result.StructuredContent, nil
}

// toolAnswer returns the answer to a call of a tool.
func toolAnswer(ctx context.Context, base, token, tool string, args map[string]any) ([]byte, error) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
		"name": tool, "arguments": args,
		"_meta": map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": map[string]any{}},
	}})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/mcp", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{"Authorization": "Bearer " + token, "Content-Type": "application/json",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool} {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("got %s: %s", resp.Status, b)
	}
	return b, err
}

// output runs the program to its end and returns what it printed.
func output(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("rialto %s: %v: %s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// TestTasksOutliveACrash gives out handles, kills the server while the agent
// works, and asks the next one for the answers. A call that is made again, for
// its client may not have heard of the first, sends nothing again.
func TestTasksOutliveACrash(t *testing.T) {
	t.Parallel()
	agent, data := newSlowAgent(t), t.TempDir()
	addr := freeAddress(t)
	run := func() *program {
		return start(t, addr, "demo", "--listen", addr, "--data", data, "--agent", "slow="+agent.url)
	}
	p := run()
	token := output(t, "", "token", "--user", username, "--data", data)
	handles := map[string]string{}
	for i := range 20 {
		message := fmt.Sprint("question ", i)
		handles[call(t, p.URL, token, "send_task", map[string]any{"agent": "slow", "message": message, "message_id": message, "wait": 0}).ID] = message
	}
	p.kill()
	p = run()
	for handle, message := range handles {
		if again := call(t, p.URL, token, "send_task", map[string]any{"agent": "slow", "message": message, "message_id": message, "wait": 0}); again.ID != handle {
			t.Errorf("made again: got the task %s, want %s", again.ID, handle)
		}
	}
	close(agent.finish)
	for handle, message := range handles {
		got := call(t, p.URL, token, "get_task", map[string]any{"task_id": handle})
		if got.State != "completed" || got.Message != "the answer to "+message {
			t.Errorf("task %s: got %+v, want the answer to %s", handle, got, message)
		}
	}
	if n := agent.messages.Load(); n != int64(len(handles)) {
		t.Errorf("the agent got %d messages, want %d", n, len(handles))
	}
}

// TestAnotherReplicaTakesOver kills one of two servers that share a
// PostgreSQL database.
func TestAnotherReplicaTakesOver(t *testing.T) {
	t.Parallel()
	agent, dir := newSlowAgent(t), t.TempDir()
	addrs := []string{freeAddress(t), freeAddress(t)}
	config := filepath.Join(dir, "rialto.yaml")
	err := os.WriteFile(config, fmt.Appendf(nil, "url: http://%s\ndatabase: %q\nsecret_file: %s\nagents:\n  - {name: slow, url: %q}\n",
		addrs[0], oauthtest.PostgresSchema(t), filepath.Join(dir, "secret"), agent.url), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	output(t, password+"\n", "user", "add", "alice", "--password-stdin", "--config", config)
	token := output(t, "", "token", "--user", "alice", "--config", config)
	var replicas []*program
	for _, addr := range addrs {
		replicas = append(replicas, start(t, addr, "serve", "--config", config, "--listen", addr))
	}
	handle := call(t, replicas[0].URL, token, "send_task", map[string]any{"message": "hello", "wait": 0}).ID
	replicas[0].kill()
	close(agent.finish)
	deadline := time.Now().Add(time.Minute)
	got := call(t, replicas[1].URL, token, "get_task", map[string]any{"task_id": handle})
	for got.State == "working" && time.Now().Before(deadline) {
		got = call(t, replicas[1].URL, token, "get_task", map[string]any{"task_id": handle})
	}
	if got.State != "completed" || got.Message != "the answer to hello" || agent.messages.Load() != 1 {
		t.Errorf("got %+v after %d messages, want the answer after 1", got, agent.messages.Load())
	}
}
