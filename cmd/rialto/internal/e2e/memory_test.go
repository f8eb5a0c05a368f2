package e2e

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// TestTwentyThousandClientsLeaveTheMemoryAsItWas has 20,000 clients say initialize,
// and looks at how much memory the program holds before and after. It keeps nothing
// for them, so there is no time to wait for until it is free again.
func TestTwentyThousandClientsLeaveTheMemoryAsItWas(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc, which Linux has")
	}
	addr, dir := freeAddress(t), t.TempDir()
	config := filepath.Join(dir, "rialto.yaml")
	if err := os.WriteFile(config, fmt.Appendf(nil, "url: http://%s\ndatabase: %q\n", addr, filepath.Join(dir, "rialto.db")), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, password+"\n", "user", "add", "alice", "--password-stdin", "--config", config)
	token := output(t, "", "token", "--user", "alice", "--config", config)
	p := start(t, addr, "serve", "--config", config, "--listen", addr)

	const clients, atOnce = 20_000, 8
	initialize := func(n int) {
		var all sync.WaitGroup
		for range atOnce {
			all.Go(func() {
				for range n / atOnce {
					if err := initializeOnce(t, p.URL, token); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		all.Wait()
	}
	initialize(clients / 10) // what a server needs that has something to do
	before := resident(t, p)
	initialize(clients)
	if after := resident(t, p); after > before*6/5 {
		t.Errorf("%d clients took %d KiB to %d KiB", clients, before, after)
	} else {
		t.Logf("%d KiB before, %d KiB after", before, after)
	}
}

func initializeOnce(t *testing.T, base, token string) error {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/mcp", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"many","version":"1"}}}`))
	if err != nil {
		return err
	}
	req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Authorization": {"Bearer " + strings.TrimSpace(token)}}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if b, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusOK || res.Header.Get("Mcp-Session-Id") == "" {
		return fmt.Errorf("got %s, %v: %s", res.Status, err, b)
	}
	return nil
}

// resident returns the KiB of memory that the program holds.
func resident(t *testing.T, p *program) (kib int) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatal(err)
	}
	return kib
}
