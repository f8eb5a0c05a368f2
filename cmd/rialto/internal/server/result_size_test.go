package server

import (
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"rialto/cmd/rialto/internal/tableexpert"
	"rialto/oauth"
)

// TestListsAndResultsAreShort measures what a model pays for, with the agent of the demo: the list of
// the tools, and 200 rows of a table. The list of 14 tools had 50,238 bytes, of which 34,136 were
// schemas of results. The rows had 93,638 bytes on two pages, because each had them as a table and as data.
// The rest is needed by clients: a schema for every tool, and results that match it; the data
// once in the content, which ChatGPT and claude.ai show to a model, and once in the structured
// content, which is all that Claude Code shows it.
func TestListsAndResultsAreShort(t *testing.T) {
	agent, err := StartTableExpert(t.Context(), tableexpert.Config{Log: slog.New(slog.DiscardHandler)}, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { agent.Close() })
	r := newRig(t, agent.Settings("tableexpert"))
	token := r.token("alice", oauth.ScopeTools)
	list := r.do("POST", "/mcp", token, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	var tools struct {
		Result struct {
			Tools []struct {
				Name         string
				OutputSchema *jsonschema.Schema
			}
		}
	}
	list.decode(t, &tools)
	if n := len(list.body) / len(tools.Result.Tools); n > 1_800 {
		t.Errorf("a tool has %d bytes in the list, want at most 1,800", n)
	}
	schemas := map[string]*jsonschema.Resolved{}
	for _, tool := range tools.Result.Tools {
		if schemas[tool.Name], err = tool.OutputSchema.Resolve(nil); err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
	}
	call := func(tool, args string) (size int, structured map[string]any) {
		t.Helper()
		var got struct{ Content, StructuredContent json.RawMessage }
		r.do("POST", "/mcp/tools/call", token, `{"name":"`+tool+`","arguments":`+args+`}`).decode(t, &got)
		if err := json.Unmarshal(got.StructuredContent, &structured); err != nil {
			t.Fatalf("%s %s: %v", tool, args, err)
		}
		if err := schemas[tool].Validate(structured); err != nil {
			t.Errorf("%s %s: the result does not match the schema: %v", tool, args, err)
		}
		return len(got.Content) + len(got.StructuredContent), structured
	}
	n, task := call("query_table_expert", `{"sql":"SELECT * FROM claims LIMIT 200","limit":200}`)
	id := task["task_id"].(string)
	for cursor, more := task["next_cursor"].(string); more; cursor, more = task["next_cursor"].(string) {
		var m int
		m, task = call("get_task", `{"task_id":"`+id+`","cursor":"`+cursor+`"}`)
		n += m
	}
	if n > 47_000 {
		t.Errorf("200 rows have %d bytes, want at most 47,000", n)
	}
	for tool, args := range map[string]string{
		"get_task": `{"task_id":"` + id + `","history_length":10}`, "list_tasks": `{}`, "list_agents": `{}`, "get_agent": `{}`,
		"search": `{"query":"hail"}`, "fetch": `{"id":"task:` + id + `"}`, "send_task": `{"message":"SELECT nothing"}`, "peek": `{"table":"claims"}`,
		"discover_topics": `{}`, "schema": `{}`, "list_gold": `{}`, "explain": `{"sql":"SELECT 1"}`,
	} {
		call(tool, args)
	}
}
