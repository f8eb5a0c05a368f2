package server

import (
	"crypto/rand"
	"testing"

	"rialto/cmd/rialto/internal/config"
)

// TestAnswersKeepTheUseCase answers the question of a task at each door. docs/a2a.md tells agents
// to check the use case that they receive: so each answer carries that of the first message, and
// the topic.
func TestAnswersKeepTheUseCase(t *testing.T) {
	r := newRecording(t, nil, func(c *config.Config) { c.Calls.DefaultTopic = "motor" })
	one, two := r.limitedTo("claims"), r.limitedTo("claims", "sales")
	const named = `{"message":"ask which?","wait":20,"metadata":{"usecase":"sales"}}`
	for _, begun := range []struct{ name, token, request, useCase string }{
		{"the client's only one", one, `{"message":"ask which?","wait":20}`, "claims"},
		{"the one of two that the first message names", two, named, "sales"},
	} {
		keeps := func(t *testing.T, answer func(task string)) {
			task, received := r.begun(t, begun.token, "echo", begun.request)
			first := r.last(t, "echo", received-1, task)
			answer(task)
			r.ends(t, begun.token, task)
			got := r.last(t, "echo", received, task)
			for member, want := range map[string]string{"usecase": begun.useCase, "topic": "motor"} {
				if first := about(t, first, member); first != want {
					t.Errorf("first: got the %s %q, want %q", member, first, want)
				}
				if got := about(t, got, member); got != want {
					t.Errorf("the answer: got the %s %q, want %q", member, got, want)
				}
			}
		}
		for _, door := range r.answeringDoors() {
			t.Run(begun.name+": "+door.name, func(t *testing.T) {
				keeps(t, func(task string) { door.answer(t, begun.token, task, "answer", "echo blue") })
			})
		}
		for _, door := range r.sendingDoors(t) {
			if door.names {
				continue
			}
			t.Run(begun.name+": "+door.name, func(t *testing.T) {
				keeps(t, func(task string) {
					door.send(begun.token, outgoing{task: task, id: rand.Text(), text: "echo blue"})
				})
			})
		}
	}
}

// TestTheCallThatAsksKeepsTheUseCase has send_task ask the person itself, in both eras.
func TestTheCallThatAsksKeepsTheUseCase(t *testing.T) {
	r := newRecording(t, nil, func(c *config.Config) { c.Calls.DefaultTopic = "motor" })
	token := r.limitedTo("claims")
	for _, revision := range []string{"2025-06-18", mcp2025, mcp2026} {
		t.Run(revision, func(t *testing.T) {
			received := len(r.agents["echo"].Received())
			arguments := `{"agent":"echo","message":"ask which?","message_id":"` + rand.Text() + `"}`
			if revision == mcp2026 {
				r.retryWith(t, token, "send_task", arguments, "answer", "echo blue")
			} else {
				s := toolCall(t, revision, "send_task", arguments, "")
				r.answerAsked(t, token, revision, s, "answer", "echo blue")
			}
			all := r.agents["echo"].Received()[received:]
			if len(all) != 2 {
				t.Fatalf("the agent got %d messages, want the request and the answer", len(all))
			}
			for i, got := range all {
				use, topic := about(t, got, "usecase"), about(t, got, "topic")
				if use != "claims" || topic != "motor" {
					t.Errorf("message %d: got the use case %q and the topic %q", i+1, use, topic)
				}
			}
		})
	}
}
