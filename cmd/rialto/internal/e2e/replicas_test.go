package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rialto/a2a/a2aexec"
	"rialto/internal/sse"
	"rialto/oauth/oauthtest"
)

// TestASessionIsServedByTwoReplicas sends the requests of one session to two replicas in turn, as a
// balancer without affinity does: the person's long answer, the subscription and the progress arrive.
func TestASessionIsServedByTwoReplicas(t *testing.T) {
	takesLong(t)
	next := make(chan string)
	agent := newAgent(t, func(ctx context.Context, turn *a2aexec.Turn) error {
		text := turn.Message.Text()
		if text == "ask" {
			turn.Ask("What is your name?")
			return nil
		}
		for said := range next {
			turn.Working(said)
		}
		turn.Complete(fmt.Sprintf("%d bytes", len(text)))
		return nil
	})
	dir, addrs := t.TempDir(), []string{freeAddress(t), freeAddress(t)}
	config := filepath.Join(dir, "rialto.yaml")
	err := os.WriteFile(config, fmt.Appendf(nil, "url: http://%s\ndatabase: %q\nsecret_file: %s\nagents:\n  - {name: agent, url: %q}\n",
		addrs[0], oauthtest.PostgresSchema(t), filepath.Join(dir, "secret"), agent), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	output(t, password+"\n", "user", "add", "alice", "--password-stdin", "--config", config)
	c := &sessionClient{t: t, token: output(t, "", "token", "--user", "alice", "--ttl", "24h", "--config", config)}
	for _, addr := range addrs {
		c.replicas = append(c.replicas, start(t, addr, "serve", "--config", config, "--listen", addr).URL)
	}
	c.session = c.send(0, "POST", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
		`"capabilities":{"elicitation":{}},"clientInfo":{"name":"replicas","version":"1"}}}`).Header.Get("Mcp-Session-Id")

	handle := call(t, c.replicas[0], c.token, "send_task", map[string]any{"message": "work", "wait": 0}).ID
	changes := c.send(1, "GET", "")
	c.send(0, "POST", `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"rialto://tasks/`+handle+`"}}`)
	progress := c.send(1, "POST", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{"progressToken":1},"name":"get_task","arguments":{"task_id":"`+handle+`"}}}`)
	next <- "reading"
	c.await(progress, `"message":"reading"`)
	c.await(changes, `"uri":"rialto://tasks/`+handle+`"`)
	close(next)
	c.await(progress, `"id":2,"result"`)

	asked := c.send(0, "POST", `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"send_task","arguments":{"message":"ask"}}}`)
	question := c.await(asked, `"method":"elicitation/create"`)
	_, id, _ := strings.Cut(question, `"id":"`)
	id, _, _ = strings.Cut(id, `"`)
	long := strings.Repeat("x", 20_000)
	if res := c.send(1, "POST", `{"jsonrpc":"2.0","id":"`+id+`","result":{"action":"accept","content":{"answer":"`+long+`"}}}`); res.StatusCode != http.StatusAccepted {
		t.Errorf("the answer: got %d, want 202", res.StatusCode)
	}
	c.await(asked, "20000 bytes")
}

// sessionClient is a client of MCP 2025-11-25 that several replicas serve.
type sessionClient struct {
	t              *testing.T
	replicas       []string
	token, session string
}

func (c *sessionClient) send(replica int, method, body string) *http.Response {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.replicas[replica]+"/mcp", strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header = http.Header{"Authorization": {"Bearer " + c.token}, "Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { res.Body.Close() })
	return res
}

// await returns the next event that contains text.
func (c *sessionClient) await(res *http.Response, text string) string {
	c.t.Helper()
	for r := sse.NewReader(res.Body); ; {
		e, err := r.Next()
		if err != nil {
			c.t.Fatalf("%v before %q", err, text)
		}
		if strings.Contains(string(e.Data), text) {
			return string(e.Data)
		}
	}
}
