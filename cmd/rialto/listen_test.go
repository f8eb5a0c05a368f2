package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"rialto/oauth"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2atest"
)

// TestStoppingAnswers is about calls that wait for an agent when the server is
// stopped: they were cut off, and the client had no handle to ask again with.
func TestStoppingAnswers(t *testing.T) {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	cfg := demoConfig(t.TempDir())
	cfg.Listen = "127.0.0.1:0"
	cfg.Agents = []agentConfig{{Name: "slow", URL: a2atest.Serve(t, agent, agent.Card(), a2a.V10)}}
	if err := cfg.check(); err != nil {
		t.Fatal(err)
	}
	l, err := listen(cfg.Listen)
	if err != nil {
		t.Fatal(err)
	}
	cfg.listensOn(l.Addr())
	s, err := newServer(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.oauth.AddUser(t.Context(), "alice", "correct horse battery staple"); err != nil {
		t.Fatal(err)
	}
	token, _, err := s.oauth.IssueToken(t.Context(), "alice", []string{oauth.ScopeTools}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- s.serve(ctx, l) }()

	stream := post(t, cfg.URL, token, "subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`)
	defer stream.Body.Close()
	answered := make(chan *http.Response, 1)
	go func() {
		answered <- post(t, cfg.URL, token, "tools/call", "send_task", `"name":"send_task","arguments":{"message":"wait for it"}`)
	}()
	for len(agent.Received()) == 0 {
		time.Sleep(time.Millisecond) // the agent has no other sign
	}
	asked := time.Now()
	stop()
	resp := <-answered
	if took := time.Since(asked); took >= lastWords {
		t.Errorf("the answer took %v: it came with the end of the streams", took)
	}
	if resp == nil {
		t.FailNow()
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
	if _, err := io.Copy(io.Discard, stream.Body); err != nil {
		t.Errorf("the stream was cut: %v", err)
	}
	if err := <-stopped; err != nil {
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
