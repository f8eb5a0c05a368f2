package server

import (
	"strings"
)

// doorsOfTasks returns the doors to a task in a state. Events are read from a cursor on.
func (v *vaulted) doorsOfTasks(state, cursor string) []taskDoor {
	var all []taskDoor
	for _, revision := range mcpRevisions {
		all = append(all, v.doorsOfMCP(revision)...)
	}
	pair := toolCall(v.t, mcp2024, "get_task", `{"task_id":"TASK","wait":1}`, "{}")
	all = append(all, taskDoor{name: "MCP 2024-11-05 at /sse: get_task", sent: pair, pair: true})
	all = append(all, v.doorsOfMCPTasks()...)
	for _, revision := range []string{mcp2025, mcp2026} {
		all = append(all, v.doorsOfEvents(revision, state, cursor)...)
	}
	return append(append(append(all, doorsOfA2A()...), doorsOfGRPC()...), doorsOfREST()...)
}

// callOfTool is a call of a tool. TASK and AGENT stand for those that it is about.
type callOfTool struct {
	tool, arguments string
	changes         bool
}

// callsOfTools has at least one call of each tool: those through which one reaches a task.
var callsOfTools = []callOfTool{
	{"get_task", `{"task_id":"TASK","wait":1}`, false},
	{"get_task", `{"task_id":"TASK","wait":0,"history_length":9}`, false},
	{"list_tasks", `{}`, false},
	{"list_tasks", `{"agent":"AGENT"}`, false},
	{"cancel_task", `{"task_id":"TASK"}`, true},
	{"send_task", `{"task_id":"TASK","message":"end the covert request","wait":5}`, true},
	{"send_task", `{"agent":"AGENT","message":"end the covert request","wait":5}`, false},
	{"fetch", `{"id":"task:TASK"}`, false},
	{"fetch", `{"id":"artifact:TASK:result"}`, false},
	{"fetch", `{"id":"agent:AGENT"}`, false},
	{"search", `{"query":"request"}`, false},
	{"search", `{"query":"undercover"}`, false},
	{"list_agents", `{}`, false},
	{"get_agent", `{"agent":"AGENT"}`, false},
	{"share", `{"id":"task:TASK"}`, false},
	{"request_upload", `{"files":[]}`, false},
	{"task_view", `{"task_id":"TASK","wait":1}`, false},
	{"answer_task", `{"task_id":"TASK","pause":"p","once":"o","answer":{"answer":"end"}}`, true},
}

// doorsOfMCP are the tools, those of the task card and the resources.
func (v *vaulted) doorsOfMCP(revision string) (all []taskDoor) {
	for _, call := range callsOfTools {
		s := toolCall(v.t, revision, call.tool, call.arguments, "{}")
		all = append(all, taskDoor{
			name: "MCP " + revision + ": " + call.tool + " " + call.arguments, sent: s,
			changes: call.changes, results: strings.Contains(call.arguments, "artifact:"),
			blind: call.tool == "request_upload",
		})
	}
	for _, ask := range []struct{ method, params string }{
		{"resources/read", `"uri":"rialto://tasks/TASK"`},
		{"resources/read", `"uri":"rialto://tasks/TASK/artifacts/result"`},
		{"resources/read", `"uri":"rialto://tasks/TASK/artifacts/result/parts/0"`},
		{"resources/read", `"uri":"rialto://agents/AGENT/card"`},
		{"resources/list", ``},
		{"completion/complete", taskCompletion},
		{"completion/complete", artifactCompletion},
	} {
		s := mcpRequest(v.t, revision, ask.method, ask.params, "{}")
		all = append(all, taskDoor{
			name: "MCP " + revision + ": " + ask.method + " " + ask.params, sent: s,
			results: ask.params == artifactCompletion,
		})
	}
	return all
}

const (
	taskCompletion = `"ref":{"type":"ref/resource","uri":"rialto://tasks/{task}"},` +
		`"argument":{"name":"task","value":""}`
	artifactCompletion = `"ref":{"type":"ref/resource","uri":"` + artifactForm + `"},` +
		`"argument":{"name":"artifact","value":""},"context":{"arguments":{"task":"TASK"}}`
)

// doorsOfMCPTasks are the methods of MCP about tasks, which differ between the revisions.
func (v *vaulted) doorsOfMCPTasks() (all []taskDoor) {
	const capabilities = `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	const answer = `"taskId":"TASK","inputResponses":{"x":{"action":"accept","content":{"answer":"end"}}}`
	for _, ask := range []struct {
		revision, method, params string
		changes, results         bool
	}{
		{mcp2025, "tasks/get", `"taskId":"TASK"`, false, false},
		{mcp2025, "tasks/result", `"taskId":"TASK"`, false, true},
		{mcp2025, "tasks/cancel", `"taskId":"TASK"`, true, false},
		{mcp2026, "tasks/get", `"taskId":"TASK"`, false, false},
		{mcp2026, "tasks/update", answer, true, false},
		{mcp2026, "tasks/cancel", `"taskId":"TASK"`, true, false},
	} {
		all = append(all, taskDoor{
			name:    "MCP " + ask.revision + ": " + ask.method,
			sent:    mcpRequest(v.t, ask.revision, ask.method, ask.params, capabilities),
			changes: ask.changes, results: ask.results,
		})
	}
	return all
}

// doorsOfEvents poll the events of a state and subscribe to them.
func (v *vaulted) doorsOfEvents(revision, state, cursor string) (all []taskDoor) {
	name := map[string]string{
		running: "task.progress", asking: "task.input_required", ended: "task.completed",
	}[state]
	for _, arguments := range []string{`{}`, `{"task_id":"TASK"}`, `{"agent":"AGENT"}`} {
		params := `"name":"` + name + `","arguments":` + arguments + `,"cursor":"` + cursor + `"`
		all = append(all, taskDoor{
			name: "MCP " + revision + ": events/poll " + arguments,
			sent: mcpRequest(v.t, revision, "events/poll", params, "{}"),
		})
		if arguments == `{}` {
			continue // anybody may subscribe to that: see TestHiddenTasksNotifyNobody
		}
		params = `"name":"task.failed","arguments":` + arguments + `,"cursor":null,` +
			`"delivery":{"mode":"webhook","url":"` + v.hook.url + `","secret":"` + hookSecret + `"}`
		all = append(all, taskDoor{
			name: "MCP " + revision + ": events/subscribe " + arguments,
			sent: mcpRequest(v.t, revision, "events/subscribe", params, "{}"),
		})
	}
	return all
}

// cursor returns where the events of alice's are now.
func (v *vaulted) cursor() string {
	v.t.Helper()
	var at string
	for _, name := range []string{"task.progress", "task.input_required", "task.completed"} {
		a := v.mcp(v.claims, "events/poll", object{"name": name, "arguments": object{}, "cursor": nil})
		if at = a.Result.Cursor; at == "" {
			v.t.Fatalf("got %s, want a cursor", a.raw)
		}
	}
	return at
}

// doorsOfA2A are those of a2aEndpoints for the agent by its name, as the primary agent, and for
// another agent, whose task it is not.
func doorsOfA2A() (all []taskDoor) {
	card := door{"1.0", "GET", "/.well-known/agent-card.json", ""}
	list := door{"1.0", "GET", "/tasks", ""}
	lists := door{"1.0", "POST", "", `{"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{}}`}
	extended := door{"1.0", "GET", "/extendedAgentCard", ""}
	older := door{"0.3", "GET", "/v1/tasks", ""}
	for _, base := range []string{"/a2a/AGENT", "", "/a2a/front"} {
		for _, d := range append(a2aEndpoints(), card, list, lists, extended, older) {
			body := strings.ReplaceAll(d.body, "ID", "TASK")
			body = strings.ReplaceAll(body, "messageTASK", "messageId")
			path := base + strings.ReplaceAll(d.path, "ID", "TASK")
			if path == "" {
				path = "/"
			}
			if base == "/a2a/front" && d == extended {
				continue // whose signature differs each time
			}
			all = append(all, taskDoor{
				name:    "A2A " + d.version + ": " + d.method + " " + path + " " + body,
				sent:    sent{d.method, path, body, []string{"A2A-Version: " + d.version}},
				changes: true, blind: base == "/a2a/front",
			})
		}
	}
	return all
}

// doorsOfGRPC are the methods of both services.
func doorsOfGRPC() (all []taskDoor) {
	const hook = `"url":"https://hooks.example.com/"`
	message := `{"messageId":"m","role":"ROLE_USER","taskId":"TASK","parts":[{"text":"end"}]}`
	for _, call := range []struct{ rpc, request string }{
		{"SendMessage", `"message":` + message},
		{"SendStreamingMessage", `"message":` + message},
		{"GetTask", `"id":"TASK"`},
		{"ListTasks", `"pageSize":9`},
		{"CancelTask", `"id":"TASK"`},
		{"SubscribeToTask", `"id":"TASK"`},
		{"CreateTaskPushNotificationConfig", `"taskId":"TASK",` + hook},
		{"GetTaskPushNotificationConfig", `"taskId":"TASK","id":"c"`},
		{"ListTaskPushNotificationConfigs", `"taskId":"TASK"`},
		{"DeleteTaskPushNotificationConfig", `"taskId":"TASK","id":"c"`},
		{"GetExtendedAgentCard", ``},
	} {
		for _, tenant := range []string{"AGENT", "", "front"} {
			if tenant == "front" && call.rpc == "GetExtendedAgentCard" {
				continue // whose signature differs each time
			}
			all = append(all, taskDoor{
				name: "gRPC 1.0 at " + tenant + ": " + call.rpc, service: grpc10, rpc: call.rpc,
				sent:    sent{body: `{` + strings.TrimPrefix(call.request+`,"tenant":"`+tenant+`"}`, ",")},
				changes: true, blind: tenant == "front",
			})
		}
	}
	for _, call := range []struct{ rpc, request string }{
		{"SendMessage", `{"request":` + message + `}`},
		{"SendStreamingMessage", `{"request":` + message + `}`},
		{"GetTask", `{"name":"tasks/TASK"}`},
		{"CancelTask", `{"name":"tasks/TASK"}`},
		{"TaskSubscription", `{"name":"tasks/TASK"}`},
		{"CreateTaskPushNotificationConfig", `{"parent":"tasks/TASK","configId":"c","config":{` +
			`"name":"tasks/TASK/pushNotificationConfigs/c","pushNotificationConfig":{` + hook + `}}}`},
		{"GetTaskPushNotificationConfig", `{"name":"tasks/TASK/pushNotificationConfigs/c"}`},
		{"ListTaskPushNotificationConfig", `{"parent":"tasks/TASK"}`},
		{"DeleteTaskPushNotificationConfig", `{"name":"tasks/TASK/pushNotificationConfigs/c"}`},
	} {
		all = append(all, taskDoor{
			name: "gRPC 0.3: " + call.rpc, service: grpc03, rpc: call.rpc,
			sent: sent{body: call.request}, changes: true,
		})
	}
	return all
}

// doorsOfREST are the addresses of the API about tasks and agents.
func doorsOfREST() (all []taskDoor) {
	for _, root := range []string{"/api/v1", "/a2a"} {
		for _, ask := range []struct {
			method, path, body string
			changes            bool
		}{
			{"GET", "/tasks/TASK", "", false},
			{"GET", "/tasks/TASK?history_length=9", "", false},
			{"GET", "/tasks/TASK?wait=1", "", false},
			{"GET", "/tasks/TASK/status", "", false},
			{"GET", "/tasks", "", false},
			{"GET", "/tasks?agent=AGENT", "", false},
			{"POST", "/tasks/TASK/messages", `{"message":"end","wait":5}`, true},
			{"POST", "/tasks/TASK/cancel", "", true},
			{"GET", "/agents", "", false},
			{"GET", "/agents/AGENT/card", "", false},
			{"POST", "/agents/AGENT/tasks", `{"message":"end","wait":5}`, false},
		} {
			all = append(all, taskDoor{
				name: "REST: " + ask.method + " " + root + ask.path,
				sent: sent{ask.method, root + ask.path, ask.body, nil}, changes: ask.changes,
			})
		}
	}
	return append(all, taskDoor{
		name: "REST: POST /api/v1/shares", sent: sent{"POST", "/api/v1/shares", `{"id":"task:TASK"}`, nil},
	})
}

// door is a request about the task ID.
type door struct{ version, method, path, body string }

func a2aEndpoints() []door {
	var doors []door
	call := func(version, method, params string) {
		doors = append(doors, door{version, "POST", "", `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`})
	}
	const (
		message10 = `{"message":{"messageId":"m","role":"ROLE_USER","taskId":"ID","parts":[{"text":"echo"}]}}`
		message03 = `{"message":{"kind":"message","messageId":"m","role":"user","taskId":"ID","parts":[{"kind":"text","text":"echo"}]}}`
		hook      = `"pushNotificationConfig":{"url":"https://hooks.example.com/"}`
	)
	for method, params := range map[string]string{
		"SendMessage": message10, "SendStreamingMessage": message10, "GetTask": `{"id":"ID"}`, "CancelTask": `{"id":"ID"}`, "SubscribeToTask": `{"id":"ID"}`,
		"CreateTaskPushNotificationConfig": `{"taskId":"ID","url":"https://hooks.example.com/"}`, "GetTaskPushNotificationConfig": `{"taskId":"ID","id":"c"}`,
		"ListTaskPushNotificationConfigs": `{"taskId":"ID"}`, "DeleteTaskPushNotificationConfig": `{"taskId":"ID","id":"c"}`,
	} {
		call("1.0", method, params)
	}
	for _, version := range []string{"0.3", "0.2"} {
		for method, params := range map[string]string{
			"message/send": message03, "message/stream": message03, "tasks/get": `{"id":"ID"}`, "tasks/cancel": `{"id":"ID"}`, "tasks/resubscribe": `{"id":"ID"}`,
			"tasks/pushNotificationConfig/set": `{"taskId":"ID",` + hook + `}`, "tasks/pushNotificationConfig/get": `{"id":"ID","pushNotificationConfigId":"c"}`,
			"tasks/pushNotificationConfig/list": `{"id":"ID"}`, "tasks/pushNotificationConfig/delete": `{"id":"ID","pushNotificationConfigId":"c"}`,
		} {
			call(version, method, params)
		}
	}
	for method, params := range map[string]string{
		"tasks/get": `{"id":"ID"}`, "tasks/cancel": `{"id":"ID"}`, "tasks/resubscribe": `{"id":"ID"}`,
		"tasks/pushNotification/set": `{"id":"ID",` + hook + `}`, "tasks/pushNotification/get": `{"id":"ID"}`,
	} {
		call("0.1", method, params)
	}
	for version, base := range map[string]string{"1.0": "", "0.3": "/v1"} {
		message := message10
		if version == "0.3" {
			message = strings.Replace(message10, `"parts"`, `"content"`, 1)
		}
		for _, d := range []door{
			{"", "POST", "/message:send", message}, {"", "POST", "/message:stream", message},
			{"", "GET", "/tasks/ID", ""}, {"", "POST", "/tasks/ID:cancel", ""}, {"", "GET", "/tasks/ID:subscribe", ""}, {"", "POST", "/tasks/ID:subscribe", ""},
			{"", "POST", "/tasks/ID/pushNotificationConfigs", `{"url":"https://hooks.example.com/",` + hook + `}`},
			{"", "GET", "/tasks/ID/pushNotificationConfigs", ""}, {"", "GET", "/tasks/ID/pushNotificationConfigs/c", ""}, {"", "DELETE", "/tasks/ID/pushNotificationConfigs/c", ""},
		} {
			doors = append(doors, door{version, d.method, base + d.path, d.body})
		}
	}
	return doors
}
