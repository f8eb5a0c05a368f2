package bridge_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/bridge"
	"rialto/bridge/runner"
	"rialto/mcp"
)

// headless is a client without a person: it declares elicitation and answers every
// question at once, as `claude -p` (cancel) and `codex exec` (decline) do.
type headless struct {
	t       *testing.T
	call    func(args string) reply
	asked   *atomic.Int32
	ordered *atomic.Int32 // messages at the agent
	*rig
}

// headlessClients returns clients of both eras that answer questions so.
func headlessClients(t *testing.T, response string) map[string]headless {
	clients := map[string]headless{}
	for era, connect := range map[string]func(*testing.T, *rig, string, *atomic.Int32) func(string) reply{
		mcp.Revision20250618: legacyHeadless, mcp.Revision20260728: modernHeadless,
	} {
		var asked, ordered atomic.Int32
		agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
			if ordered.Add(1); turn.Message.Text() == "order" {
				turn.Ask("Which size?")
				return nil
			}
			turn.Complete("Ordered " + turn.Message.Text())
			return nil
		})
		r := newRigWith(t, "", map[string]peer{"one": agent}, func(b *bridge.Bridge) { b.Directory.Pages = true })
		clients[era] = headless{t, connect(t, r, response, &asked), &asked, &ordered, r}
	}
	return clients
}

func modernHeadless(t *testing.T, r *rig, response string, asked *atomic.Int32) func(string) reply {
	send := asking(t, r)
	return func(args string) reply {
		got := send(args, nil, "")
		for got.ResultType == "input_required" && asked.Load() < 5 {
			answers := map[string]any{}
			for key := range got.InputRequests {
				asked.Add(1)
				answers[key] = json.RawMessage(response)
			}
			got = send(args, answers, got.RequestState)
		}
		return got
	}
}

func legacyHeadless(t *testing.T, r *rig, response string, asked *atomic.Int32) func(string) reply {
	post := session(t, r)
	return func(args string) (got reply) {
		t.Helper()
		lines := bufio.NewScanner(post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"send_task","arguments":` + args + `}}`).Body)
		for lines.Scan() {
			data, _ := strings.CutPrefix(lines.Text(), "data: ")
			var m struct {
				ID     json.RawMessage
				Method string
				Result reply
			}
			_ = json.Unmarshal([]byte(data), &m) // of lines that are no messages nothing is read
			switch {
			case m.Method == "elicitation/create":
				asked.Add(1)
				post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, response))
			case string(m.ID) == "2":
				return m.Result
			}
		}
		t.Fatal("the stream ended without a result")
		return got
	}
}

// session begins a session of a client that declares elicitation, and returns what posts its messages.
func session(t *testing.T, r *rig) func(body string) *http.Response {
	srv := serving(t, r)
	id := ""
	post := func(body string) *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), "POST", srv.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		if id != "" {
			req.Header.Set("Mcp-Session-Id", id)
			req.Header.Set("MCP-Protocol-Version", mcp.Revision20250618)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
	id = post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}}`).Header.Get("Mcp-Session-Id")
	return post
}

// TestAQuestionThatTheClientReturnsStaysOpen: the task was canceled where a client canceled the
// question ("The agent gave no reason."), and the agent got "The user declined to answer." as its
// answer where a client declined. No person had seen the question in either case.
func TestAQuestionThatTheClientReturnsStaysOpen(t *testing.T) {
	for response, says := range map[string]string{
		`{"action":"cancel"}`:  "The client canceled the agent's question",
		`{"action":"decline"}`: "The client declined the agent's question",
	} {
		for era, c := range headlessClients(t, response) {
			t.Run(era+response, func(t *testing.T) {
				got := c.call(`{"message":"order"}`)
				text := fmt.Sprint(got.Content)
				if got.Structured.State != string(a2a.InputRequired) || got.IsError || got.Structured.Message != "Which size?" || got.Structured.AnswerURL == "" {
					t.Fatalf("got %+v, want the question and where to answer it", got)
				}
				for _, want := range []string{says, "Which size?", got.Structured.AnswerURL, got.Structured.TaskID} {
					if !strings.Contains(text, want) {
						t.Errorf("got %s, want %q in it", text, want)
					}
				}
				if c.asked.Load() != 1 || c.ordered.Load() != 1 {
					t.Errorf("asked %d times, the agent heard %d messages, want 1 and 1", c.asked.Load(), c.ordered.Load())
				}
				c.answerOnPage(t, got.Structured.TaskID)
			})
		}
	}
}

// answerOnPage answers the question of a task on its page.
func (r *rig) answerOnPage(t *testing.T, handle string) {
	t.Helper()
	ctx := as(t.Context(), "alice")
	task, err := r.Documents.TaskView(ctx, r.Directory.Access(ctx), handle)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Documents.AnswerTask(ctx, r.Directory.Access(ctx), handle, runner.Reply{Pause: task.Pause, Once: "x", Content: json.RawMessage(`{"answer":"large"}`)}); err != nil {
		t.Fatal(err)
	}
	if got := r.call("get_task", `{"task_id":"`+handle+`"}`); got.State != a2a.Completed || got.Message != "Ordered large" {
		t.Errorf("got %s, %q after the answer on the page", got.State, got.Message)
	}
}

// TestATaskWhoseQuestionTheClientReturnsIsAResult: a client that takes tasks has the question as
// the result of its task, and asks no more. The task still waits for the page, and its next
// question is asked again.
func TestATaskWhoseQuestionTheClientReturnsIsAResult(t *testing.T) {
	for how, says := range map[string]string{"cancel": "The client canceled the agent's question", "decline": "The client declined the agent's question"} {
		t.Run(how, func(t *testing.T) {
			agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
				switch turn.Message.Text() {
				case "order", "more":
					turn.Ask("Which size?")
				default:
					turn.Complete("Ordered " + turn.Message.Text())
				}
				return nil
			})
			r := newRigWith(t, "", map[string]peer{"one": agent}, func(b *bridge.Bridge) { b.Directory.Pages = true })
			tasks, begin := taking(t, r)
			id := begin(`{"message":"order"}`, mcp.Revision20260728).Task.ID
			asked := until(t, tasks, id, mcp.InputRequired)
			answers := map[string]json.RawMessage{asked.Questions[0].Key(): json.RawMessage(`{"action":"` + how + `"}`)}
			for range 2 { // the second comes too late, and changes nothing
				if err := tasks.AnswerTask(as(t.Context(), "alice"), "alice", id, answers); err != nil {
					t.Fatal(err)
				}
			}
			done := until(t, tasks, id, mcp.Completed)
			got := read(t, done.Result)
			got.want(t, a2a.InputRequired, false)
			if !strings.Contains(got.Text, says) || got.AnswerURL == "" || !strings.Contains(got.Text, "Which size?") {
				t.Errorf("got %s", got.Text)
			}
			late := map[string]json.RawMessage{asked.Questions[0].Key(): json.RawMessage(`{"action":"accept","content":{"answer":"small"}}`)}
			err := errors.Join(
				tasks.AnswerTask(as(t.Context(), "alice"), "alice", id, late),
				tasks.CancelTask(as(t.Context(), "alice"), "alice", id),
			)
			if again := until(t, tasks, id, mcp.Completed); err != nil || !again.Updated.Equal(done.Updated) {
				t.Errorf("a completed task was changed by a late answer or a cancellation: %+v, %v", again, err)
			}
			r.call("send_task", `{"message":"more","task_id":"`+id+`"}`).want(t, a2a.InputRequired, false)
			until(t, tasks, id, mcp.InputRequired)
			r.answerOnPage(t, id)
		})
	}
}
