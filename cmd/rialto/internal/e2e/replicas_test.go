package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/internal/sse"
	"rialto/oauth/oauthtest"
)

// TestASessionIsServedByTwoReplicas sends the requests of one session to two replicas in turn, as a
// balancer without affinity does: the person's long answer, the subscription and the progress arrive.
func TestASessionIsServedByTwoReplicas(t *testing.T) {
	takesLong(t)
	t.Parallel()
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
	replicas, token := twoReplicas(t, agent)
	c := &sessionClient{t: t, token: token, replicas: []string{replicas[0].URL, replicas[1].URL}}
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

// twoReplicas runs two servers on one PostgreSQL database with an agent, and returns a token of a user.
func twoReplicas(t *testing.T, agent string) (replicas []*program, token string) {
	t.Helper()
	dir, addrs := t.TempDir(), []string{freeAddress(t), freeAddress(t)}
	config := filepath.Join(dir, "rialto.yaml")
	err := os.WriteFile(config, fmt.Appendf(nil, "url: http://%s\ndatabase: %q\nsecret_file: %s\nagents:\n  - {name: agent, url: %q}\n",
		addrs[0], oauthtest.PostgresSchema(t), filepath.Join(dir, "secret"), agent), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	output(t, password+"\n", "user", "add", "alice", "--password-stdin", "--config", config)
	for _, addr := range addrs {
		replicas = append(replicas, start(t, addr, "serve", "--config", config, "--listen", addr))
	}
	return replicas, output(t, "", "token", "--user", "alice", "--ttl", "24h", "--config", config)
}

// TestReplicasShareUploads sends files to another replica than the one that gave their links. A task of the
// first replica waits for one of them, a message names the second later, and the replica whose task waits for
// the third has been killed.
func TestReplicasShareUploads(t *testing.T) {
	t.Parallel()
	agent := newAgent(t, func(_ context.Context, turn *a2aexec.Turn) error {
		content, _ := turn.Message.Parts[1].Content.(a2a.Raw)
		turn.Complete(fmt.Sprintf("got %s of %d bytes", turn.Message.Parts[1].Filename, len(content)))
		return nil
	})
	replicas, token := twoReplicas(t, agent)
	at, other := replicas[0], replicas[1]
	send := func(id string) task {
		return call(t, at.URL, token, "send_task", map[string]any{"message": "read", "files": []map[string]any{{"upload": id}}})
	}
	ends := func(when string, got task, size int) {
		t.Helper()
		for deadline := time.Now().Add(10 * time.Second); got.State != "completed" && time.Now().Before(deadline); {
			got = call(t, other.URL, token, "get_task", map[string]any{"task_id": got.ID, "wait": 5})
		}
		if want := fmt.Sprintf("got notes.txt of %d bytes", size); got.State != "completed" || !strings.Contains(fmt.Sprint(got), want) {
			t.Errorf("%s: got %+v, want %q", when, got, want)
		}
	}

	id, path := uploadLink(t, at.URL, token)
	putFile(t, other.URL+path, 1000)
	ends("it came before", send(id), 1000)

	id, path = uploadLink(t, at.URL, token)
	waits := send(id)
	putFile(t, other.URL+path, 2000)
	ends("a task waited", waits, 2000)

	id, path = uploadLink(t, at.URL, token)
	waits = send(id)
	if waits.State != "input-required" {
		t.Fatalf("got %+v", waits)
	}
	at.kill()
	putFile(t, other.URL+path, 3000)
	ends("its replica was killed", waits, 3000)
}

// uploadLink asks for a link for a text, and returns the id of the upload and the path of the link.
func uploadLink(t *testing.T, base, token string) (id, path string) {
	t.Helper()
	b, err := toolAnswer(t.Context(), base, token, "request_upload", map[string]any{"files": []map[string]any{{"name": "notes.txt", "mime_type": "text/plain"}}})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Result struct {
			StructuredContent struct{ Uploads []struct{ ID, URL string } }
		}
	}
	if err := json.Unmarshal(b, &got); err != nil || len(got.Result.StructuredContent.Uploads) != 1 {
		t.Fatalf("%v: %s", err, b)
	}
	link := got.Result.StructuredContent.Uploads[0]
	u, err := url.Parse(link.URL)
	if err != nil {
		t.Fatal(err)
	}
	return link.ID, u.Path
}

// putFile sends a text of a size to a link.
func putFile(t *testing.T, link string, size int) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, link, strings.NewReader(strings.Repeat("x", size)))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusCreated {
		b, _ := io.ReadAll(resp.Body)
		t.Fatalf("PUT: got %s: %s", resp.Status, b)
	}
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
