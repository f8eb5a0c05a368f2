package main

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
)

// kit does what the prefix of a message's id says, and notifies webhooks after each turn.
type kit struct {
	*a2aexec.Executor
	hooks *webhooks
}

func newKit() kit {
	hooks := newWebhooks()
	return kit{&a2aexec.Executor{Run: func(ctx context.Context, t *a2aexec.Turn) error {
		if c := t.Request.Push; c != nil {
			one := *c
			one.TaskID = t.Message.TaskID
			hooks.set(&one)
		}
		err := run(ctx, t)
		hooks.notify(ctx, t.Task())
		return err
	}}, hooks}
}

func card() *a2a.Card {
	return &a2a.Card{
		Name:               "Kit agent",
		Description:        "Does what the compatibility kit expects.",
		Version:            "1.0.0",
		Provider:           &a2a.Provider{Organization: "Rialto", URL: "https://rialto.example"},
		Capabilities:       a2a.Capabilities{Streaming: true, PushNotifications: true},
		DefaultInputModes:  []string{"text/plain"},
		DefaultOutputModes: []string{"text/plain", "application/json"},
		Skills:             []a2a.Skill{{ID: "tck", Name: "Compatibility kit", Description: "Answers by the id of a message.", Tags: []string{"tck"}}},
	}
}

// Send delivers a message (a2a.Agent).
func (k kit) Send(ctx context.Context, req *a2a.SendRequest) (a2a.Event, error) {
	if m := withoutTask(req); m != nil {
		return m, nil
	}
	if err := k.accept(ctx, req); err != nil {
		return nil, err
	}
	return k.Executor.Send(ctx, req)
}

// accept returns InvalidParams if the webhook that comes with a message may not be called.
func (k kit) accept(ctx context.Context, req *a2a.SendRequest) error {
	if req.Push == nil {
		return nil
	}
	return k.hooks.sender.Accept(ctx, req.Push)
}

// Cancel stops a task (a2a.Agent).
func (k kit) Cancel(ctx context.Context, id a2a.TaskID) (*a2a.Task, error) {
	t, err := k.Executor.Cancel(ctx, id)
	if err == nil {
		k.hooks.notify(ctx, t)
	}
	return t, err
}

// Stream delivers a message and follows it (a2a.Agent).
func (k kit) Stream(ctx context.Context, req *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
	if m := withoutTask(req); m != nil {
		return func(yield func(a2a.Event, error) bool) { yield(m, nil) }
	}
	if err := k.accept(ctx, req); err != nil {
		return func(yield func(a2a.Event, error) bool) { yield(nil, err) }
	}
	return k.Executor.Stream(ctx, req)
}

// withoutTask answers what is to be answered by a message alone.
func withoutTask(req *a2a.SendRequest) a2a.Event {
	if !strings.HasPrefix(req.Message.ID, "tck-message-response") {
		return nil
	}
	return &a2a.Message{ID: "reply-to-" + req.Message.ID, ContextID: req.Message.ContextID, Role: a2a.RoleAgent,
		Parts: []a2a.Part{a2a.TextPart("Direct message response")}}
}

// behavior is the answer to messages whose ids begin with prefix.
type behavior struct {
	prefix string
	run    func(context.Context, *a2aexec.Turn) error
}

// behaviors is ordered: the first prefix that fits counts.
func behaviors() []behavior {
	return []behavior{
		{"tck-input-required", func(_ context.Context, t *a2aexec.Turn) error { t.Ask("Which one?"); return nil }},
		{"tck-reject-task", func(_ context.Context, t *a2aexec.Turn) error { t.Reject("Rejected, as asked."); return nil }},
		{"tck-artifact-text", artifact(text("Generated text content"))},
		{"tck-artifact-file-url", artifact(a2a.Part{Content: a2a.URL("https://example.com/output.txt"), Filename: "output.txt", MediaType: "text/plain"})},
		{"tck-artifact-file", artifact(a2a.Part{Content: a2a.Raw("file content"), Filename: "output.txt", MediaType: "text/plain"})},
		{"tck-artifact-data", artifact(a2a.Part{Content: a2a.Data(`{"key":"value","count":42}`), MediaType: "application/json"})},
		{"tck-stream-artifact-text", stream(text("Streamed text content"))},
		{"tck-stream-artifact-file", stream(a2a.Part{Content: a2a.Raw("file content"), Filename: "output.txt", MediaType: "text/plain"})},
		{"tck-stream-artifact-chunked", chunked},
		{"tck-stream-ordering-001", ordered},
		{"tck-stream-", stream(text("Stream content"))},
		{"test-resubscribe-message-id", slow(4 * time.Second)},
		{"tck-delayed-complete", slow(time.Second)},
		{"tck-auth-required", func(_ context.Context, t *a2aexec.Turn) error { t.AskAuth("Who are you?"); return nil }},
		{"tck-complete-task", complete},
	}
}

func run(ctx context.Context, t *a2aexec.Turn) error {
	for _, b := range behaviors() {
		if strings.HasPrefix(t.Message.ID, b.prefix) {
			return b.run(ctx, t)
		}
	}
	return converse(ctx, t)
}

// converse works briefly, asks after the first message of a task and completes it after the next,
// so that the kit can cancel the task and continue it.
func converse(ctx context.Context, t *a2aexec.Turn) error {
	t.Working("")
	if err := pause(ctx, 100*time.Millisecond); err != nil {
		return err
	}
	for _, m := range t.Task().History {
		if m.Role == a2a.RoleUser && m.ID != t.Message.ID {
			return complete(ctx, t)
		}
	}
	t.Ask("What else?")
	return nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func text(s string) a2a.Part { return a2a.Part{Content: a2a.Text(s), MediaType: "text/plain"} }

func complete(_ context.Context, t *a2aexec.Turn) error {
	t.Complete("Hello from the kit agent")
	return nil
}

// artifact hands over one artifact that holds p.
func artifact(p a2a.Part) func(context.Context, *a2aexec.Turn) error {
	return func(_ context.Context, t *a2aexec.Turn) error {
		t.Artifact(a2a.Artifact{ID: "artifact", Name: "artifact", Parts: []a2a.Part{p}})
		t.Complete("")
		return nil
	}
}

// stream works for a moment before it does what artifact does.
func stream(p a2a.Part) func(context.Context, *a2aexec.Turn) error {
	return func(ctx context.Context, t *a2aexec.Turn) error {
		t.Working("")
		return artifact(p)(ctx, t)
	}
}

func chunked(_ context.Context, t *a2aexec.Turn) error {
	t.Working("")
	for i, chunk := range []string{"chunk-1", "chunk-2"} {
		t.Append(a2a.Artifact{ID: "artifact", Name: "artifact", Parts: []a2a.Part{text(chunk)}}, i == 1)
	}
	t.Complete("")
	return nil
}

// ordered says what comes after what.
func ordered(_ context.Context, t *a2aexec.Turn) error {
	t.Working("")
	for i := range 3 {
		t.Artifact(a2a.Artifact{ID: fmt.Sprint("artifact-", i+1), Parts: []a2a.Part{text(fmt.Sprint("Ordered output ", i+1))}})
	}
	t.Complete("")
	return nil
}

// slow completes after d, which leaves time to come back to the task.
func slow(d time.Duration) func(context.Context, *a2aexec.Turn) error {
	return func(ctx context.Context, t *a2aexec.Turn) error {
		t.Working("")
		if err := pause(ctx, d); err != nil {
			return err
		}
		t.Complete("")
		return nil
	}
}
