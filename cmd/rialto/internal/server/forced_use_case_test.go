package server

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/cmd/rialto/internal/config"
)

// forces is a server whose operator forces a use case and names a topic.
func forces(t *testing.T) *recording {
	return newRecording(t, nil, func(c *config.Config) { c.Calls.ForceUseCase, c.Calls.DefaultTopic = "forced", "motor" })
}

// forced requires that an agent received a message with the forced use case alone.
func forced(t *testing.T, got *a2a.SendRequest) {
	t.Helper()
	use, topic := about(t, got, "usecase"), about(t, got, "topic")
	if use != "forced" || topic != "motor" {
		t.Errorf("got the use case %q and the topic %q, want forced and motor", use, topic)
	}
	for _, part := range got.Message.Parts {
		data, ok := part.Content.(a2a.Data)
		if !ok {
			if text := fmt.Sprint(part.Content); strings.Contains(text, "claims") {
				t.Errorf("got the text %q, want no other use case in it", text)
			}
			continue
		}
		var members map[string]any
		if err := json.Unmarshal(data, &members); err != nil || members["usecase"] != "forced" {
			t.Errorf("got the data %s, want the use case forced", data)
		}
	}
}

// TestAForcedUseCaseHoldsAtEveryDoor names another use case in metadata and in data: in a first
// message, when it is sent again, and in an answer. It is replaced, not refused.
func TestAForcedUseCaseHoldsAtEveryDoor(t *testing.T) {
	r := forces(t)
	for who, token := range map[string]string{
		"a client for all use cases": r.unlimited(), "a client for another one": r.limitedTo("claims"),
	} {
		for _, door := range r.sendingDoors(t) {
			t.Run(who+": "+door.name, func(t *testing.T) {
				received := len(r.agents["echo"].Received())
				m := outgoing{
					agent: "echo", id: rand.Text(), text: "ask which?", useCase: "claims",
					data: `{"usecase":"claims","limit":5}`,
				}
				said := door.send(token, m)
				got := r.last(t, "echo", received, said)
				forced(t, got)
				if len(got.Message.Parts) != 2 {
					t.Errorf("the agent got the parts %v, want the data", got.Message.Parts)
				}
				if !door.names { // whose messages have no ID
					r.last(t, "echo", received, door.send(token, m))
				}
				task := anyTask.FindStringSubmatch(said)
				if task == nil {
					t.Fatalf("got %s, want a task", said)
				}
				m.id, m.task, m.agent, m.text = rand.Text(), task[1], "", "echo blue"
				said = door.send(token, m)
				forced(t, r.last(t, "echo", received+1, said))
			})
		}
	}
}

// TestAForcedUseCaseHoldsInAnswers answers a form that asks for the use case, and a question.
func TestAForcedUseCaseHoldsInAnswers(t *testing.T) {
	r := forces(t)
	token := r.unlimited()
	const schema = `{"type":"object","required":["usecase"],"properties":{"usecase":{"type":"string"}}}`
	for _, door := range r.answeringDoors() {
		for what, c := range map[string]struct{ message, member, text string }{
			"a form":     {"form " + schema, "usecase", "claims"},
			"a question": {"ask which?", "answer", "echo blue"},
		} {
			t.Run(door.name+": "+what, func(t *testing.T) {
				request := fmt.Sprintf(`{"message":%q,"wait":20}`, c.message)
				task, received := r.begun(t, token, "echo", request)
				door.answer(t, token, task, c.member, c.text)
				r.ends(t, token, task)
				got := r.last(t, "echo", received, task)
				forced(t, got)
				if hasData := len(got.Message.Parts) == 2; hasData != (what == "a form") {
					t.Errorf("got the parts %v", got.Message.Parts)
				}
			})
		}
	}
}

// TestAForcedUseCaseHoldsInToolsAndRetries calls the tool of a skill, and has a person send a
// request once more on its page.
func TestAForcedUseCaseHoldsInToolsAndRetries(t *testing.T) {
	r := forces(t)
	r.bridge.Tools.ReadSkills(t.Context()) // which also happens in the background
	token := r.unlimited()
	for _, revision := range mcpRevisions {
		t.Run("the tool of a skill, "+revision, func(t *testing.T) {
			received := len(r.agents["echo"].Received())
			arguments := `{"message":"fail it","data":{"usecase":"claims"},"wait":9}`
			said, _ := r.read(token, toolCall(t, revision, "echo", arguments, "{}"), "")
			forced(t, r.last(t, "echo", received, said))
			task := anyTask.FindStringSubmatch(strings.ReplaceAll(said, `\"`, `"`))
			if task == nil {
				t.Fatalf("got %s, want a task", said)
			}
			r.retried(t, task[1])
			forced(t, r.last(t, "echo", received+1, said))
		})
	}
}

// retried has a person ask on the page for the request of a task once more.
func (r *recording) retried(t *testing.T, task string) {
	t.Helper()
	page := r.cfg.Load().URL + "/answer/" + task
	if status, body := r.visitor("alice").post(page, url.Values{"do": {"retry"}}, nil); status != 200 {
		t.Fatalf("got %d %s", status, body)
	}
}

// anyTask finds the ID of a task in what a door answers.
var anyTask = regexp.MustCompile(`"(?:task_id|taskId|TaskID|id|ID)":"([0-9a-f]{8}-[0-9a-f-]{27})"`)
