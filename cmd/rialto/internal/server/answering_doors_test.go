package server

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
)

// answeringDoor is a door through which the question of a task is answered: by the person that the
// client asks, on a page, or by the client. The answer is a text, or the member of a form.
type answeringDoor struct {
	name   string
	answer func(t *testing.T, token, task, member, text string)
}

// answeringDoors are those that sendingDoors are not.
func (r *recording) answeringDoors() []answeringDoor {
	all := []answeringDoor{
		{"the page of the task", r.answerOnPage},
		{"MCP " + mcp2026 + ": get_task, which asks by its result", r.answerRetry},
		{"MCP " + mcp2026 + ": tasks/update", r.answerUpdate},
		{"MCP " + mcp2025 + ": tasks/result, which asks the client", r.answerResult},
	}
	for _, revision := range []string{"2025-06-18", mcp2025} {
		all = append(all, answeringDoor{
			"MCP " + revision + ": get_task, which asks the client",
			func(t *testing.T, token, task, member, text string) {
				s := toolCall(t, revision, "get_task", `{"task_id":"`+task+`"}`, canElicit)
				r.answerAsked(t, token, revision, s, member, text)
			},
		})
	}
	for _, revision := range mcpRevisions {
		all = append(all, answeringDoor{
			"MCP " + revision + ": answer_task of the task card",
			func(t *testing.T, token, task, member, text string) {
				r.answerCard(t, token, revision, task, member, text)
			},
		})
	}
	return all
}

const (
	canElicit = `{"elicitation":{"form":{}}}`
	takesTask = `{"elicitation":{"form":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}}`
)

// accept returns the result of a question that the person answers.
func accept(member, text string) string {
	return fmt.Sprintf(`{"action":"accept","content":{%q:%q}}`, member, text)
}

func (r *recording) answerOnPage(t *testing.T, _, task, member, text string) {
	page := r.cfg.Load().URL + "/answer/" + task
	alice := r.visitor("alice")
	form := alice.form(page, "answer")
	form.Set("field:"+member, text)
	if status, body := alice.post(page, form, nil); status != 200 {
		t.Fatalf("got %d %s", status, body)
	}
}

// answerAsked answers as a client before 2026-07-28, which is asked while its request waits.
func (r *recording) answerAsked(t *testing.T, token, revision string, s sent, member, text string) {
	t.Helper()
	session := r.session(token, revision, canElicit)
	s.headers = append(s.headers, session)
	resp := r.open(token, s)
	defer resp.Body.Close()
	late := time.AfterFunc(10*time.Second, func() { resp.Body.Close() })
	defer late.Stop()
	lines := bufio.NewScanner(resp.Body)
	until(t, lines, "elicitation/create")
	var question struct{ ID json.RawMessage }
	(reply{body: strings.TrimPrefix(lines.Text(), "data: ")}).decode(t, &question)
	response := `{"jsonrpc":"2.0","id":` + string(question.ID) + `,"result":` + accept(member, text) + `}`
	got := r.do("POST", "/mcp", token, response,
		"Accept: application/json, text/event-stream", "MCP-Protocol-Version: "+revision, session)
	if got.status != 202 {
		t.Fatalf("the answer: got %s", got.said())
	}
	until(t, lines, `"id":1,`)
}

// answerRetry answers as a client of 2026-07-28, which repeats its request with the answer.
func (r *recording) answerRetry(t *testing.T, token, task, member, text string) {
	r.retryWith(t, token, "get_task", `{"task_id":"`+task+`"}`, member, text)
}

func (r *recording) retryWith(t *testing.T, token, tool, arguments, member, text string) {
	t.Helper()
	var asked struct {
		Result struct {
			InputRequests map[string]json.RawMessage
			RequestState  json.RawMessage
		}
	}
	said, _ := r.read(token, toolCall(t, mcp2026, tool, arguments, canElicit), "")
	_, body, _ := strings.Cut(said, "{")
	(reply{body: "{" + body}).decode(t, &asked)
	for key := range asked.Result.InputRequests {
		again := `"name":"` + tool + `","arguments":` + arguments +
			`,"requestState":` + string(asked.Result.RequestState) +
			fmt.Sprintf(`,"inputResponses":{%q:%s}`, key, accept(member, text))
		said, _ = r.read(token, mcpRequest(t, mcp2026, "tools/call", again, canElicit), "")
		if !strings.Contains(said, `"completed"`) {
			t.Fatalf("got %s, want the end of the task", said)
		}
		return
	}
	t.Fatalf("got %s, want a question", said)
}

func (r *recording) answerUpdate(t *testing.T, token, task, member, text string) {
	var asked struct {
		Result struct{ InputRequests map[string]json.RawMessage }
	}
	said, _ := r.read(token, mcpRequest(t, mcp2026, "tasks/get", `"taskId":"`+task+`"`, takesTask), "")
	_, body, _ := strings.Cut(said, "{")
	(reply{body: "{" + body}).decode(t, &asked)
	for key := range asked.Result.InputRequests {
		params := fmt.Sprintf(`"taskId":%q,"inputResponses":{%q:%s}`, task, key, accept(member, text))
		said, _ = r.read(token, mcpRequest(t, mcp2026, "tasks/update", params, takesTask), "")
		if strings.HasPrefix(said, "200") {
			return
		}
	}
	t.Fatalf("got %s, want that it is taken", said)
}

func (r *recording) answerResult(t *testing.T, token, task, member, text string) {
	s := mcpRequest(t, mcp2025, "tasks/result", `"taskId":"`+task+`"`, "")
	r.answerAsked(t, token, mcp2025, s, member, text)
}

func (r *recording) answerCard(t *testing.T, token, revision, task, member, text string) {
	said, _ := r.read(token, toolCall(t, revision, "task_view", `{"task_id":"`+task+`"}`, "{}"), "")
	_, after, _ := strings.Cut(said, `"pause":"`)
	pause, _, ok := strings.Cut(after, `"`)
	arguments := fmt.Sprintf(`{"task_id":%q,"pause":%q,"once":%q,"answer":{%q:%q}}`,
		task, pause, rand.Text(), member, text)
	if ok {
		said, _ = r.read(token, toolCall(t, revision, "answer_task", arguments, "{}"), "")
	}
	if !ok || strings.Contains(said, `"isError":true`) {
		t.Fatalf("got %s", said)
	}
}

// begun makes a task by a request to the API. It returns how many messages the agent has received
// by then, too.
func (r *recording) begun(t *testing.T, token, agent, request string) (task string, received int) {
	t.Helper()
	task = r.create(token, agent, request).ID
	return task, len(r.agents[agent].Received())
}

// about returns a string member of the metadata that an agent received with a message. The
// metadata around the message must not contradict it: agents read either.
func about(t *testing.T, got *a2a.SendRequest, member string) string {
	t.Helper()
	inside, _ := got.Message.Metadata[member].(string)
	around, said := got.Metadata[member]
	if said && around != inside {
		t.Errorf("got %s %q in the message and %q around it", member, inside, around)
	}
	return inside
}

// ends waits for the end of a task.
func (r *recording) ends(t *testing.T, token, task string) {
	t.Helper()
	got := r.do("GET", "/api/v1/tasks/"+task+"/status?wait=20", token, "")
	if !strings.Contains(got.body, `"completed"`) {
		t.Fatalf("got %s, want the end of the task", got.said())
	}
}
