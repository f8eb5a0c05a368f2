package e2e

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestSessionsOverSSENeedTheirReplica opens sessions of the HTTP+SSE transport (MCP 2024-11-05). Another
// replica answers their messages with 404, so that clients begin again. Through the balancer with the
// rule of docs/deploy.md, messages arrive.
func TestSessionsOverSSENeedTheirReplica(t *testing.T) {
	t.Parallel()
	f := newFleetBehind(t, func(guide string) string {
		return strings.Replace(guide, " {\n", " {\n\t"+strings.ReplaceAll(fenced(t, document(t, "deploy.md"), "caddy"), "\n", "\n\t")+"\n", 1)
	})
	at := f.openSSE(t, f.servers[0].URL)
	for i, want := range []int{http.StatusAccepted, http.StatusNotFound, http.StatusNotFound} {
		if got := f.ping(t, f.servers[i].URL+at); got != want {
			t.Errorf("replica %d: got %d, want %d", i, got, want)
		}
	}
	at = f.openSSE(t, f.balancer.URL)
	for range 9 {
		if got := f.ping(t, f.balancer.URL+at); got != http.StatusAccepted {
			t.Errorf("through the balancer: got %d, want 202", got)
		}
	}
}

// openSSE opens a stream, and returns the path for messages that it says first.
func (f *fleet) openSSE(t *testing.T, base string) (path string) {
	t.Helper()
	resp := f.do(t, http.MethodGet, base+"/mcp/sse", "")
	t.Cleanup(func() { resp.Body.Close() })
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			return strings.TrimPrefix(data, f.balancer.URL)
		}
	}
	t.Fatalf("got %s and no endpoint: %v", resp.Status, lines.Err())
	return ""
}

// ping sends a message of a session.
func (f *fleet) ping(t *testing.T, url string) (status int) {
	t.Helper()
	resp := f.do(t, http.MethodPost, url, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	resp.Body.Close()
	return resp.StatusCode
}

func (f *fleet) do(t *testing.T, method, url, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Authorization": {"Bearer " + f.token}, "Content-Type": {"application/json"}, "Accept": {"text/event-stream, application/json"}}
	transport := &http.Transport{ResponseHeaderTimeout: time.Minute}
	t.Cleanup(transport.CloseIdleConnections)
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}
