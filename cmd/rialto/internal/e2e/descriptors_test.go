package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"rialto/a2a/a2atest"
)

// TestSilentAgentsGiveTheirDescriptorsBack has a task at each of 200 agents that say nothing
// after their first word, and cancels them. RIALTO_SILENT_FOR says how long they are silent;
// with 90s the server has looked at each task beside its stream.
func TestSilentAgentsGiveTheirDescriptorsBack(t *testing.T) {
	takesLong(t)
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc, which Linux has")
	}
	t.Parallel()
	silence, err := time.ParseDuration(os.Getenv("RIALTO_SILENT_FOR"))
	if err != nil {
		silence = time.Second
	}
	const agents = 200
	silent := &a2atest.Rogue{
		Card: `{"name":"Silent","description":"","version":"1","capabilities":{"streaming":true},"defaultInputModes":[],"defaultOutputModes":[],"skills":[],"supportedInterfaces":[{"url":"$URL/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`,
		Answers: map[string][]a2atest.Answer{
			"SendStreamingMessage": {{Hold: true, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: `data: {"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}}}` + "\n\n"}},
			"GetTask":              {{Hold: true}},
			"CancelTask":           {{Body: `{"jsonrpc":"2.0","id":1,"result":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_CANCELED"}}}`}},
		},
	}
	at, dir, addr := silent.Serve(t), t.TempDir(), freeAddress(t)
	var config bytes.Buffer
	fmt.Fprintf(&config, "url: http://%s\ndatabase: %q\nagents:\n", addr, filepath.Join(dir, "rialto.db"))
	for i := range agents {
		fmt.Fprintf(&config, "  - {name: silent%d, url: %q}\n", i, at)
	}
	path := filepath.Join(dir, "rialto.yaml")
	if err := os.WriteFile(path, config.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, password+"\n", "user", "add", "alice", "--password-stdin", "--config", path)
	token := strings.TrimSpace(output(t, "", "token", "--user", "alice", "--config", path))
	p := start(t, addr, "serve", "--config", path, "--listen", addr)
	before := descriptors(t, p)
	var handles []string
	for i := range agents {
		handles = append(handles, call(t, p.URL, token, "send_task", map[string]any{"agent": fmt.Sprint("silent", i), "message": "go", "wait": 0}).ID)
	}
	most := 0
	poll(100*time.Millisecond, silence, func() bool {
		most = max(most, descriptors(t, p))
		return false
	})
	for _, handle := range handles {
		call(t, p.URL, token, "cancel_task", map[string]any{"task_id": handle})
	}
	after := 0
	poll(time.Second, 2*time.Minute, func() bool { // connections are kept for a while
		after = descriptors(t, p)
		return after <= before*11/10
	})
	t.Logf("%d descriptors before %d tasks, at most %d while their agents were silent for %s, %d afterwards", before, agents, most, silence, after)
	if most > before+agents*11/10 || after > before*11/10 {
		t.Errorf("too many descriptors")
	}
}

// descriptors returns how many files and connections the program has open.
func descriptors(t *testing.T, p *program) int {
	t.Helper()
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	return len(open)
}
