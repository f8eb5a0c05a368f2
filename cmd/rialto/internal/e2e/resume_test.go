package e2e

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"rialto/internal/sse"
)

// TestClientsComeBackAfterACrash kills the server while clients wait for a result. They resume the
// stream at the next server, and get the result from the ledger. They were answered 410, and
// waited for their own timeout: 60 seconds for the SDKs, 300 for Codex.
func TestClientsComeBackAfterACrash(t *testing.T) {
	t.Parallel()
	for name, come := range map[string]func(*testing.T, *crashing){
		"TypeScript SDK 1": func(t *testing.T, c *crashing) { c.script(t, "resume1.mjs") },
		"TypeScript SDK 2": func(t *testing.T, c *crashing) { c.script(t, "resume2.mjs") },
		"Codex":            codexComesBack,
	} {
		t.Run(name, func(t *testing.T) {
			c := newCrashing(t)
			come(t, c)
			if n := c.agent.messages.Load(); n != 1 {
				t.Errorf("the agent got %d messages, want 1", n)
			}
		})
	}
}

// crashing is a server that can be killed and started again.
type crashing struct {
	agent *slowAgent
	token string
	p     *program
	again func() *program
}

func newCrashing(t *testing.T) *crashing {
	agent, data, addr := newSlowAgent(t), t.TempDir(), freeAddress(t)
	c := &crashing{agent: agent}
	c.again = func() *program {
		return start(t, addr, "demo", "--listen", addr, "--data", data, "--agent", "slow="+agent.url)
	}
	c.p = c.again()
	c.token = output(t, "", "token", "--user", username, "--data", data)
	return c
}

// crash kills the server, starts the next, and lets the agent finish.
func (c *crashing) crash() {
	c.p.kill()
	c.p = c.again()
	close(c.agent.finish)
}

func (c *crashing) script(t *testing.T, name string) {
	control := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { c.crash() }))
	defer control.Close()
	script{name: name, env: []string{"RIALTO_URL=" + c.p.URL + "/mcp", "RIALTO_TOKEN=" + c.token, "RIALTO_CONTROL=" + control.URL}}.run(t, c.p)
}

// codexComesBack makes the requests of Codex 0.169, whose client (rmcp) resumes a stream from the
// latest id, on errors of any kind without an end, and ends it with the response to its request.
func codexComesBack(t *testing.T, c *crashing) {
	const revision = "2025-06-18"
	session := ""
	send := func(method, body string, header ...string) *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), method, c.p.URL+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Authorization": {"Bearer " + c.token}, "Accept": {"text/event-stream, application/json"}, "Content-Type": {"application/json"}}
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
			req.Header.Set("MCP-Protocol-Version", revision)
		}
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { res.Body.Close() })
		return res
	}
	session = send("POST", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+revision+`",`+
		`"capabilities":{"elicitation":{"form":{},"url":{}}},"clientInfo":{"name":"codex-mcp-client","title":"Codex","version":"0.169.0"}}}`).Header.Get("Mcp-Session-Id")
	send("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	common := sse.NewReader(send("GET", "").Body)
	call := sse.NewReader(send("POST", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{"progressToken":1},`+
		`"name":"send_task","arguments":{"agent":"slow","message":"a question","wait":200}}}`).Body)
	first, err := call.Next()
	if err != nil || first.ID == "" || !strings.Contains(string(first.Data), "on it") {
		t.Fatalf("got %+v, %v first, want progress with an id", first, err)
	}
	c.crash()
	if _, err := call.Next(); err == nil {
		t.Fatal("the stream outlived its server")
	}
	for err = nil; err == nil; { // it has changes to tell
		_, err = common.Next()
	}
	began := time.Now()
	res := send("GET", "", "Last-Event-ID", first.ID)
	last, err := sse.NewReader(res.Body).Next()
	if err != nil || res.StatusCode != http.StatusOK || !strings.Contains(string(last.Data), `"id":2,"result"`) || !strings.Contains(string(last.Data), "the answer to a question") {
		t.Errorf("got %d, %s, %v, want the result of the call", res.StatusCode, last.Data, err)
	}
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("the result took %v", took)
	}
	if res := send("GET", "", "Last-Event-ID", common.LastID()); res.StatusCode != http.StatusOK {
		t.Errorf("the session's stream: got %d, want a new one", res.StatusCode)
	}
}
