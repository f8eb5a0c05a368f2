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
	"sync/atomic"
	"syscall"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2atest"
)

// TestReloadUnderLoad reloads the program 100 times, half of them by SIGHUP, while users call an
// agent that stays. Another agent comes and goes, and a limit changes. No call fails.
func TestReloadUnderLoad(t *testing.T) {
	takesLong(t)
	t.Parallel()
	agent := a2atest.NewAgent()
	stays, goes := a2atest.Serve(t, agent, agent.Card(), a2a.V10), a2atest.Serve(t, agent, agent.Card(), a2a.V10)
	dir, addr := t.TempDir(), freeAddress(t)
	path := filepath.Join(dir, "rialto.yaml")
	write := func(i int) {
		file := fmt.Sprintf("listen: %s\ndatabase: %q\nlimits: {calls_per_user: %d}\nagents:\n- {name: stays, url: %q}\n", addr, filepath.Join(dir, "rialto.db"), 100+i, stays)
		if i%2 == 1 {
			file += fmt.Sprintf("- {name: goes, url: %q}\n", goes)
		}
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(0)
	output(t, password+"\n", "user", "add", "alice", "--password-stdin", "--config", path)
	token := output(t, "", "token", "--user", "alice", "--config", path)
	p := start(t, addr, "serve", "--config", path)

	ctx, stop := context.WithCancel(t.Context())
	var calls atomic.Int64
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			for ctx.Err() == nil {
				if got := callTool(t, p.URL, token, `{"name":"send_task","arguments":{"agent":"stays","message":"echo hello"}}`); !strings.Contains(got, `"completed"`) {
					t.Errorf("got %s", got)
					return
				}
				calls.Add(1)
			}
		})
	}
	for i := 1; i <= 100; i++ {
		write(i)
		if i%2 == 0 {
			p.cmd.Process.Signal(syscall.SIGHUP) // as soon as it may be: the command after it waits its turn
		}
		output(t, "", "config", "reload", "--config", path)
	}
	stop()
	callers.Wait()
	if reloads := strings.Count(p.log.String(), "the configuration was reloaded"); reloads < 100 || strings.Contains(p.log.String(), "not reloaded") {
		t.Errorf("got %d reloads, want 100 without an error", reloads)
	}
	t.Logf("%d calls during %d reloads", calls.Load(), 100)
}

// callTool calls a tool and returns the answer.
func callTool(t *testing.T, origin, token, call string) string {
	req, err := http.NewRequest(http.MethodPost, origin+"/mcp/tools/call", strings.NewReader(call))
	if err != nil {
		t.Error(err)
		return ""
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return resp.Status + " " + string(b)
}
