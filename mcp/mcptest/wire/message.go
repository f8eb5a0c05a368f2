package wire

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"rialto/mcp"
)

// message is what is common to all of JSON-RPC.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Meta struct {
			Revision string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
		Task json.RawMessage `json:"task"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// Check returns what is wrong with a message of a revision. The result of a response has
// to be that of its request; request is nil for all other messages.
func Check(revision string, b, request []byte) error {
	book, err := bookOf(revision)
	if err != nil {
		return err
	}
	var v any
	var m message
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	if err := json.Unmarshal(b, &m); err != nil {
		return err
	}
	switch {
	case m.Method != "":
		name := book.methods[m.Method]
		if revision == mcp.Revision20260728 && m.Method == "notifications/cancelled" {
			name = "CancelledNotification"
		}
		if name == "" {
			return fmt.Errorf("%s has no method %q", revision, m.Method)
		}
		return book.check(name, v)
	case m.Error != nil:
		return book.checkError(v.(map[string]any), revision)
	case m.Result == nil || request == nil:
		return book.check("JSONRPCMessage", v)
	}
	result := v.(map[string]any)["result"]
	var asked message
	if err := json.Unmarshal(request, &asked); err != nil {
		return fmt.Errorf("the request that was answered: %w", err)
	}
	return cmp.Or(book.check(resultName(revision, &asked, result), result), book.check("JSONRPCMessage", v))
}

// checkError checks an error response. Before 2025-11-25 the schema wanted the id that a server
// which could not read the request does not know; what it then checks is the error.
func (b *book) checkError(v map[string]any, revision string) error {
	switch {
	case b.defs["JSONRPCErrorResponse"] != nil:
		return b.check("JSONRPCErrorResponse", v)
	case v["id"] == nil:
		v["id"] = "unknown"
	}
	return b.check("JSONRPCError", v)
}

// resultName names what answers a request.
func resultName(revision string, asked *message, result any) string {
	m, _ := result.(map[string]any)
	switch asked.Method {
	case "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe":
		return "EmptyResult"
	case "initialize":
		return "InitializeResult"
	case "server/discover":
		return "DiscoverResult"
	case "subscriptions/listen":
		return "SubscriptionsListenResult"
	case "completion/complete":
		return "CompleteResult"
	case "events/list", "events/poll", "events/stream", "events/subscribe", "events/unsubscribe":
		verb := strings.TrimPrefix(asked.Method, "events/")
		return strings.ToUpper(verb[:1]) + verb[1:] + "EventsResult"
	case "tasks/result":
		return "CallToolResult"
	case "tools/call":
		if m["resultType"] == "task" || asked.Params.Task != nil && m["task"] != nil {
			return "CreateTaskResult"
		}
	}
	if m["resultType"] == "input_required" {
		return "InputRequiredResult"
	}
	// "resources/templates/list" is answered by a ListResourceTemplatesResult,
	// "tools/call" by a CallToolResult: the verb, and what it is about.
	about, verb := asked.Method[:strings.LastIndex(asked.Method, "/")+1], asked.Method[strings.LastIndex(asked.Method, "/")+1:]
	noun := map[string]string{"tools/": "Tool", "prompts/": "Prompt", "resources/": "Resource", "resources/templates/": "ResourceTemplate", "tasks/": "Task", "skills/": "Skill", "roots/": "Root"}[about]
	if verb == "list" {
		noun += "s"
	}
	if verb == "" || noun == "" {
		return asked.Method
	}
	return strings.ToUpper(verb[:1]) + verb[1:] + noun + "Result"
}
