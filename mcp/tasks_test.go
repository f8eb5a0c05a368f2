package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"rialto/mcp"
	"rialto/mcp/mcptest"
)

const takesTasks = `{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`

// serveTasks serves the tools that begin tasks.
func serveTasks(t *testing.T) *httptest.Server {
	ts := new(mcptest.Tasks)
	return serve(t, &mcp.Server{Tools: mcptest.TaskTools(ts), Tasks: ts})
}

var taskIDs = regexp.MustCompile(`"taskId":"([^"]+)"`)

// begin calls a tool and returns the task that it began.
func (c *client) begin(params string) (id string) {
	c.t.Helper()
	_, body := c.do("1", "tools/call", params)
	found := taskIDs.FindStringSubmatch(body)
	if found == nil {
		c.t.Fatalf("got no task: %s", body)
	}
	return found[1]
}

// listenTo opens a stream of the tasks' changes.
func (c *client) listenTo(ids ...string) func(prefix string) string {
	list, _ := json.Marshal(ids)
	ctx, hangUp := context.WithCancel(context.Background())
	c.t.Cleanup(hangUp)
	_, lines := open(ctx, c, `"l"`, "subscriptions/listen", `"notifications":{"taskIds":`+string(list)+`}`)
	return func(part string) string {
		for {
			if line := await(c.t, lines, "data: {"); strings.Contains(line, part) {
				return line
			}
		}
	}
}

// A task is asked, answered and completed while its client follows it.
func TestTaskIsFollowedToItsEnd(t *testing.T) {
	c := &client{t: t, srv: serveTasks(t), era: eras[1], who: "ann", capabilities: takesTasks}
	id := c.begin(`"name":"multi_input"`)
	next := c.listenTo(id, "no-such-task")
	if ack := next("acknowledged"); !strings.Contains(ack, `"notifications":{"taskIds":["`+id+`"]}`) {
		t.Errorf("got %s, want only the existing task", ack)
	}
	asked := next(`"status":"input_required"`)
	if !strings.Contains(asked, `/subscriptionId":"l"`) {
		t.Errorf("got %s, want the id of the stream in it", asked)
	}
	answer := func(key, name string) {
		_, body := c.do("2", "tasks/update",
			`"taskId":"`+id+`","inputResponses":{"`+key+`":{"action":"accept","content":{"name":"`+name+`"}}}`)
		result(t, body)
	}
	answer("first", "Ann")
	if got := next(`"inputRequests":{"second"`); strings.Contains(got, "Ann") || strings.Contains(got, `"first"`) {
		t.Errorf("got %s, want the other question", got)
	}
	answer("second", "Lee")
	done := next(`"status":"completed"`)
	if !strings.Contains(done, "Ann") || !strings.Contains(done, "Lee") {
		t.Errorf("got %s, want both answers", done)
	}
	_, body := c.do("3", "tasks/get", `"taskId":"`+id+`"`)
	if got := result(t, body); !strings.Contains(got, `"result":{"resultType":"complete","content":[`) {
		t.Errorf("got %s, want what the call would have had", got)
	}
}

// result returns the result in a body.
func result(t testing.TB, body string) string {
	t.Helper()
	var got struct{ Result json.RawMessage }
	if err := json.Unmarshal([]byte(body), &got); err != nil || got.Result == nil {
		t.Fatalf("got %s, want a result", body)
	}
	return string(got.Result)
}

func TestTaskOfAnotherPrincipalIsNotFound(t *testing.T) {
	srv := serveTasks(t)
	ann := &client{t: t, srv: srv, era: eras[1], who: "ann", capabilities: takesTasks}
	bob := &client{t: t, srv: srv, era: eras[1], who: "bob", capabilities: takesTasks}
	id := ann.begin(`"name":"slow_compute","arguments":{"seconds":600}`)
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel"} {
		if _, body := bob.do("1", method, `"taskId":"`+id+`"`); !strings.Contains(body, "-32602") {
			t.Errorf("%s: got %s, want -32602", method, body)
		}
	}
	if ack := bob.listenTo(id)("acknowledged"); !strings.Contains(ack, `"notifications":{}`) {
		t.Errorf("got %s, want nothing promised", ack)
	}
	if _, body := ann.do("2", "tasks/get", `"taskId":"`+id+`"`); !strings.Contains(body, `"working"`) {
		t.Errorf("got %s, want it to be working still", body)
	}
	ann.do("3", "tasks/cancel", `"taskId":"`+id+`"`)
	if _, body := ann.do("4", "tasks/get", `"taskId":"`+id+`"`); !strings.Contains(body, `"cancelled"`) {
		t.Errorf("got %s, want it cancelled", body)
	}
}

func TestTasksNeedTheDeclaredExtension(t *testing.T) {
	srv := serveTasks(t)
	c := &client{t: t, srv: srv, era: eras[1], who: "ann"}
	for method, params := range map[string]string{
		"tasks/get": `"taskId":"x"`, "tasks/update": `"taskId":"x"`, "tasks/cancel": `"taskId":"x"`,
		"tools/call":           `"name":"failing_job"`,
		"subscriptions/listen": `"notifications":{"taskIds":["x"]}`,
	} {
		res, body := c.do("1", method, params)
		if res.StatusCode != http.StatusBadRequest || !strings.Contains(body, "-32021") ||
			!strings.Contains(body, `{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}`) {
			t.Errorf("%s: got %d %s, want -32021 and what is required", method, res.StatusCode, body)
		}
	}
	if _, body := c.do("1", "tools/call", `"name":"slow_compute"`); !strings.Contains(body, "computed") {
		t.Errorf("an optional task: got %s, want a result", body)
	}
	plain := &client{t: t, srv: serve(t, &mcp.Server{Tools: mcptest.Tools()}), era: eras[1], capabilities: takesTasks}
	if res, _ := plain.do("1", "tasks/get", `"taskId":"x"`); res.StatusCode != http.StatusNotFound {
		t.Errorf("a server without tasks: got %d, want 404", res.StatusCode)
	}
}

// The shape of 2025-11-25: the client asks for a task, waits for its result,
// and is asked on that stream.
func TestCoreTaskAsksAndIsWaitedFor(t *testing.T) {
	c := (&client{t: t, srv: serveTasks(t), era: eras[0], who: "ann"}).initialize()
	_, body := c.do("1", "tools/call", `"name":"confirm_delete","arguments":{"filename":"a.txt"},"task":{"ttl":60000}`)
	id := taskIDs.FindStringSubmatch(body)[1]
	_, body = c.do("2", "tasks/get", `"taskId":"`+id+`"`)
	result(t, body)
	_, lines := open(context.Background(), c, "3", "tasks/result", `"taskId":"`+id+`"`)
	ask, method, params := question(t, lines)
	if method != "elicitation/create" {
		t.Errorf("got %s, want elicitation/create", method)
	}
	if related := `"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"` + id + `"}}`; !strings.Contains(string(params), related) {
		t.Errorf("got %s, want in it %s", params, related)
	}
	c.respond(ask, `"result":{"action":"accept","content":{"confirm":true}}`)
	got := strings.TrimPrefix(await(t, lines, "data: {"), "data: ")
	if !strings.Contains(got, "accept") || !strings.Contains(got, `related-task":{"taskId":"`+id+`"}`) {
		t.Errorf("got %s, want the answer and the task's id in it", got)
	}
	if _, body := c.do("4", "tasks/cancel", `"taskId":"`+id+`"`); !strings.Contains(body, "-32602") {
		t.Errorf("a task that has ended: got %s, want -32602", body)
	}
}

func TestCoreTasksFailAndAreCancelled(t *testing.T) {
	c := (&client{t: t, srv: serveTasks(t), era: eras[0], who: "ann"}).initialize()
	outcome := func(id string) string {
		_, body := c.do("2", "tasks/result", `"taskId":"`+id+`"`)
		return body
	}
	if got := outcome(c.begin(`"name":"protocol_error_job","task":{}`)); !strings.Contains(got, "-32603") {
		t.Errorf("got %s, want the task's error", got)
	}
	if got := outcome(c.begin(`"name":"failing_job","task":{}`)); !strings.Contains(got, `"isError":true`) {
		t.Errorf("got %s, want a result that is an error", got)
	}
	id := c.begin(`"name":"slow_compute","arguments":{"seconds":600},"task":{}`)
	_, body := c.do("3", "tasks/cancel", `"taskId":"`+id+`"`)
	result(t, body)
	if got := outcome(id); !strings.Contains(got, "cancelled") {
		t.Errorf("got %s, want that it was cancelled", got)
	}
	for name, call := range map[string]string{
		"a task of a tool that begins none": `"name":"greet","arguments":{"name":"x"},"task":{}`,
		"no task of a tool that must":       `"name":"failing_job"`,
	} {
		if _, body := c.do("4", "tools/call", call); !strings.Contains(body, "-32601") {
			t.Errorf("%s: got %s, want -32601", name, body)
		}
	}
	_, list := c.do("5", "tools/list", "")
	if !strings.Contains(list, `"name":"failing_job","description":"Answers always the same.","inputSchema":`) ||
		!strings.Contains(list, `"execution":{"taskSupport":"required"}`) {
		t.Errorf("got %s, want the tools to say that they begin tasks", list)
	}
}

func TestWaitForACoreTaskIsCancelledByItsClientOnly(t *testing.T) {
	srv := serveTasks(t)
	c := (&client{t: t, srv: srv, era: eras[0], who: "ann"}).initialize()
	id := c.begin(`"name":"confirm_delete","task":{}`)
	_, lines := open(context.Background(), c, "7", "tasks/result", `"taskId":"`+id+`"`)
	question(t, lines)
	c.do("", "notifications/cancelled", `"requestId":7`)
	if rest, err := io.ReadAll(lines); err != nil || strings.Contains(string(rest), "data: {") {
		t.Errorf("got %q, %v, want silence", rest, err)
	}
	if _, body := c.do("8", "tasks/get", `"taskId":"`+id+`"`); strings.Contains(body, "cancelled") {
		t.Errorf("got %s, want the task to go on", body)
	}
}

// The Inspector's command line takes tasks and cannot be asked. It polled a task that
// waited for an answer, and ended without output.
func TestTaskAsksNothingOfAClientThatCannotBeAsked(t *testing.T) {
	const notAsked = "you cannot be asked"
	srv := serveTasks(t)
	c := &client{t: t, srv: srv, era: eras[1], who: "ann", capabilities: `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`}
	id := c.begin(`"name":"confirm_delete"`)
	if got := c.listenTo(id)(`"status":"completed"`); !strings.Contains(got, notAsked) || strings.Contains(got, "inputRequests") {
		t.Errorf("a stream: got %s, want how far it came", got)
	}
	_, got := c.do("2", "tasks/get", `"taskId":"`+id+`"`)
	if !strings.Contains(got, notAsked) || strings.Contains(got, "inputRequests") {
		t.Errorf("tasks/get: got %s, want how far it came", got)
	}
	asked := &client{t: t, srv: srv, era: eras[1], who: "ann", capabilities: takesTasks}
	if _, got := asked.do("3", "tasks/get", `"taskId":"`+id+`"`); !strings.Contains(got, `"inputRequests":{"confirm"`) {
		t.Errorf("another client of the same principal: got %s, want the question", got)
	}

	earlier := &client{t: t, srv: srv, era: eras[0], who: "ann"}
	if _, got := earlier.do("4", "tasks/result", `"taskId":"`+id+`"`); !strings.Contains(got, notAsked) {
		t.Errorf("tasks/result: got %s, want how far it came", got)
	}
}

// In 2025-11-25 a task begins as one that is worked on, and has failed where its result
// is an error. Clients that stop at "completed" showed what an agent refused as its answer.
func TestCoreTaskHasTheStatusesOfItsRevision(t *testing.T) {
	c := (&client{t: t, srv: serveTasks(t), era: eras[0], who: "ann"}).initialize()
	_, body := c.do("1", "tools/call", `"name":"failing_job","task":{}`)
	if got := result(t, body); !strings.Contains(got, `"status":"working"`) {
		t.Errorf("got %s, want it to begin as working", got)
	}
	id := taskIDs.FindStringSubmatch(body)[1]
	_, body = c.do("2", "tasks/result", `"taskId":"`+id+`"`)
	if got := result(t, body); !strings.Contains(got, `"isError":true`) {
		t.Errorf("got %s, want what the call would have had", got)
	}
	if _, body = c.do("3", "tasks/get", `"taskId":"`+id+`"`); !strings.Contains(body, `"status":"failed"`) {
		t.Errorf("got %s, want it failed", body)
	}
	if _, body = c.do("4", "tasks/cancel", `"taskId":"`+id+`"`); !strings.Contains(body, "it is failed") {
		t.Errorf("got %s, want it failed", body)
	}
}

// A client that asked for a task accepts a task or an error. It ignores the text of a
// result, even one that explains what is wrong with the arguments.
func TestCoreTaskThatIsNotBegunIsAnError(t *testing.T) {
	c := (&client{t: t, srv: serveTasks(t), era: eras[0], who: "ann"}).initialize()
	for call, want := range map[string]string{
		`"name":"slow_compute","arguments":{"seconds":"x"},"task":{}`: `"seconds\" must be`,
		`"name":"slow_compute","task":5`:                              `{"code":-32602,"message":"\"task\" must be an object`,
		`"name":"slow_compute","task":null`:                           `"task\" must be an object`,
	} {
		_, body := c.do("1", "tools/call", call)
		if !strings.Contains(body, want) || strings.Contains(body, `"isError"`) {
			t.Errorf("%s: got %s, want %s", call, body, want)
		}
	}
}
