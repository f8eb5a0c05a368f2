package server

import (
	"strings"
	"testing"
	"time"

	"rialto/a2a/a2atest"
	"rialto/cmd/rialto/internal/config"
)

// TestAHandleComesAfterTheWait sends messages to an agent that says nothing. Callers that did not
// want to wait got a handle after five seconds. On a busy machine one of three must come in time.
func TestAHandleComesAfterTheWait(t *testing.T) {
	silent := a2atest.Rogues()["silent"]
	r := newDoors(t, func(c *config.Config) {
		c.Agents = []config.Agent{{Name: "silent", URL: silent.Serve(t)}}
	})
	const rest = "/api/v1/agents/silent/tasks"
	tool := func(revision, arguments, capabilities string) sent {
		return toolCall(t, revision, "send_task", arguments, capabilities)
	}
	for name, c := range map[string]struct {
		sent sent
		wait time.Duration
	}{
		"MCP 2026-07-28, wait 0":            {tool(mcp2026, `{"message":"x","wait":0}`, "{}"), 0},
		"MCP 2026-07-28, wait 1":            {tool(mcp2026, `{"message":"x","wait":1}`, "{}"), time.Second},
		"MCP 2026-07-28, as a task, wait 0": {tool(mcp2026, `{"message":"x","wait":0}`, takesTask), 0},
		"MCP 2025-06-18, wait 0":            {tool("2025-06-18", `{"message":"x","wait":0}`, "{}"), 0},
		"MCP 2025-06-18, wait 1":            {tool("2025-06-18", `{"message":"x","wait":1}`, "{}"), time.Second},
		"REST, wait 0":                      {sent{"POST", rest, `{"message":"x","wait":0}`, nil}, 0},
		"REST, wait 1":                      {sent{"POST", rest, `{"message":"x","wait":1}`, nil}, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			token, said := r.unlimited(), ""
			took := time.Hour
			for try := 0; try < 3 && took > c.wait+500*time.Millisecond; try++ {
				begun := time.Now()
				said, _ = r.read(token, c.sent, "")
				took = time.Since(begun)
			}
			if took > c.wait+500*time.Millisecond || took < c.wait {
				t.Errorf("it took %s, want %s", took, c.wait)
			}
			t.Logf("%s after the wait", took-c.wait)
			if !strings.Contains(strings.ToLower(said), "submitted") && !strings.Contains(said, "taskId") {
				t.Errorf("got %s, want a handle", said)
			}
		})
	}
}
