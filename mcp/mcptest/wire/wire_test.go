package wire_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"rialto/mcp/mcptest/wire"
)

const (
	meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	get  = `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t",` + meta + `}}`
	when = `"createdAt":"2026-11-20T10:00:00Z","lastUpdatedAt":"2026-11-20T10:00:00.5Z","ttlMs":null`
)

func result(members string) string { return `{"jsonrpc":"2.0","id":1,"result":{` + members + `}}` }

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		revision, message, request string
		wrong                      string // in the error, "" if it is right
	}{
		"a request of 2024-11-05":                {"2024-11-05", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "", ""},
		"a method of another revision":           {"2024-11-05", `{"jsonrpc":"2.0","id":1,"method":"elicitation/create"}`, "", "has no method"},
		"a result of 2025-03-26":                 {"2025-03-26", result(`"tools":[]`), `{"method":"tools/list"}`, ""},
		"a result that answers another method":   {"2025-06-18", result(`"tools":[]`), `{"method":"prompts/list"}`, "not a ListPromptsResult"},
		"an error without an id":                 {"2025-06-18", `{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}`, "", ""},
		"an error whose code is no number":       {"2026-07-28", `{"jsonrpc":"2.0","id":1,"error":{"code":"no","message":"no"}}`, "", "not a JSONRPCErrorResponse"},
		"progress that is a string":              {"2025-11-25", `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":"2"}}`, "", "not a ProgressNotification"},
		"a request without _meta":                {"2026-07-28", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`, "", "not a ListToolsRequest"},
		"a result without a type":                {"2026-07-28", result(`"tools":[],"ttlMs":1,"cacheScope":"private"`), `{"method":"tools/list"}`, "not a ListToolsResult"},
		"a task of 2025-11-25":                   {"2025-11-25", result(`"task":{"taskId":"t","status":"working","createdAt":"x","lastUpdatedAt":"x","ttl":1}`), `{"method":"tools/call","params":{"task":{}}}`, ""},
		"that task in a client's words of today": {"2025-11-25", result(`"task":{"taskId":"t","status":"working","createdAt":"x","lastUpdatedAt":"x","ttlMs":1}`), `{"method":"tools/call","params":{"task":{}}}`, "not a CreateTaskResult"},
		"a task of the extension":                {"2026-07-28", result(`"resultType":"task","taskId":"t","status":"working",` + when), `{"method":"tools/call"}`, ""},
		"a task whose result is missing":         {"2026-07-28", result(`"resultType":"complete","taskId":"t","status":"completed",` + when), get, "not a GetTaskResult"},
		"a task whose result is none":            {"2026-07-28", result(`"resultType":"complete","taskId":"t","status":"completed","result":{"resultType":"complete"},` + when), get, "not a GetTaskResult"},
		"a task that waits and does not ask":     {"2026-07-28", result(`"resultType":"complete","taskId":"t","status":"input_required","inputRequests":{},` + when), get, "not a GetTaskResult"},
		"a task that works and asks":             {"2026-07-28", result(`"resultType":"complete","taskId":"t","status":"working","inputRequests":{},` + when), get, "not a GetTaskResult"},
		"an acknowledgement that says more":      {"2026-07-28", result(`"resultType":"complete","status":"cancelled"`), `{"method":"tasks/cancel"}`, "not a CancelTaskResult"},
		"a question before the call":             {"2026-07-28", result(`"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}`), `{"method":"tools/call"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var request []byte
			if c.request != "" {
				request = []byte(c.request)
			}
			err := wire.Check(c.revision, []byte(c.message), request)
			if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("got %v, want %q", err, c.wrong)
			}
		})
	}
}

// Invalid messages on a stream are reported, and so are invalid requests that are
// answered; the responses arrive unchanged.
func TestObserver(t *testing.T) {
	const lie = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}`
	for name, c := range map[string]struct{ request, answer, want string }{
		"all is well":                    {`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "data: " + result("") + "\n\n", ""},
		"a lie before the result":        {`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "data: " + lie + "\n\ndata: " + result("") + "\n\n", "the server said"},
		"a request that is none":         {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, "data: " + result(`"content":[]`) + "\n\n", "the server took"},
		"a request that is none refused": {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, `data: {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}` + "\n\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var problems []string
			o := wire.Observer{Report: func(p string) { problems = append(problems, p) }}
			srv := httptest.NewServer(o.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(w, c.answer)
			})))
			res, err := http.Post(srv.URL, "application/json", strings.NewReader(c.request))
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(res.Body)
			res.Body.Close()
			srv.Close() // what is reported is reported then
			if err != nil || string(got) != c.answer {
				t.Errorf("got %q, %v, want %q", got, err, c.answer)
			}
			if said := strings.Join(problems, "\n"); (said == "") != (c.want == "") || !strings.Contains(said, c.want) {
				t.Errorf("got %q, want %q", said, c.want)
			}
		})
	}
}
