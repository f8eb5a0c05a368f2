package mcp_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"rialto/internal/sse"
)

// validate checks every message of an answer against the JSON Schema of the
// revision that the request was of, so far as it is one of the two whose
// schema is in testdata.
func validate(t *testing.T, r *http.Request, body []byte, res *http.Response, answer []byte) {
	t.Helper()
	revision := "2025-11-25"
	if bytes.Contains(body, []byte(`/protocolVersion":"2026-07-28"`)) {
		revision = "2026-07-28"
	}
	var request struct{ Method string }
	_ = json.Unmarshal(body, &request) // some are not meant to be JSON
	for _, m := range messages(t, res, answer) {
		conform(t, revision, "JSONRPCMessage", m)
		var message struct {
			ID            any
			Method        string
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal(m, &message); err != nil {
			t.Fatal(err)
		}
		switch {
		case message.Error != nil:
			conform(t, revision, "JSONRPCErrorResponse", m)
		case message.Method != "" && message.ID != nil:
			conform(t, revision, "ServerRequest", m)
		case message.Method != "":
			conform(t, revision, "ServerNotification", m)
		case request.Method == "server/discover":
			conform(t, "2026-07-28", "DiscoverResult", message.Result)
		case bytes.Contains(message.Result, []byte(`"resultType":"input_required"`)):
			conform(t, revision, "InputRequiredResult", message.Result)
		default:
			conform(t, revision, resultNames[request.Method], message.Result)
		}
	}
}

var resultNames = map[string]string{
	"initialize":           "InitializeResult",
	"ping":                 "EmptyResult",
	"tools/list":           "ListToolsResult",
	"tools/call":           "CallToolResult",
	"subscriptions/listen": "SubscriptionsListenResult",

	"resources/list":           "ListResourcesResult",
	"resources/templates/list": "ListResourceTemplatesResult",
	"resources/read":           "ReadResourceResult",
	"resources/subscribe":      "EmptyResult",
	"resources/unsubscribe":    "EmptyResult",
	"prompts/list":             "ListPromptsResult",
	"prompts/get":              "GetPromptResult",
	"completion/complete":      "CompleteResult",
	"logging/setLevel":         "EmptyResult",
}

// messages returns the JSON-RPC messages of an answer.
func messages(t *testing.T, res *http.Response, answer []byte) (all [][]byte) {
	t.Helper()
	switch {
	case len(answer) == 0:
		return nil
	case !strings.HasPrefix(res.Header.Get("Content-Type"), sse.ContentType):
		return [][]byte{answer}
	}
	for r := sse.NewReader(bytes.NewReader(answer)); ; {
		e, err := r.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e.Data)
	}
}

func conform(t *testing.T, revision, name string, message []byte) {
	t.Helper()
	if name == "" {
		t.Errorf("no schema for %s", message)
		return
	}
	var v any
	if err := json.Unmarshal(message, &v); err != nil {
		t.Fatalf("%v in %q", err, message)
	}
	if err := definition(t, revision, name).Validate(v); err != nil {
		t.Errorf("not a %s of %s: %v\n%s", name, revision, err, message)
	}
}

var definitions sync.Map // "revision name" to *jsonschema.Resolved

func definition(t *testing.T, revision, name string) *jsonschema.Resolved {
	t.Helper()
	if d, ok := definitions.Load(revision + " " + name); ok {
		return d.(*jsonschema.Resolved)
	}
	b, err := os.ReadFile("testdata/schemas/" + revision + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	if s.Defs[name] == nil {
		t.Fatalf("revision %s defines no %s", revision, name)
	}
	s.Ref = "#/$defs/" + name
	d, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	definitions.Store(revision+" "+name, d)
	return d
}
