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

// kit does what the prefix of a message's id says.
type kit struct{ *a2aexec.Executor }

func newKit() kit { return kit{&a2aexec.Executor{Run: run}} }

func card() *a2a.Card {
	return &a2a.Card{
		Name:               "Kit agent",
		Description:        "Does what the compatibility kit expects.",
		Version:            "1.0.0",
		Provider:           &a2a.Provider{Organization: "Rialto", URL: "https://rialto.example"},
		Capabilities:       a2a.Capabilities{Streaming: true},
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
	return k.Executor.Send(ctx, req)
}

// Stream delivers a message and follows it (a2a.Agent).
func (k kit) Stream(ctx context.Context, req *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
	if m := withoutTask(req); m != nil {
		return func(yield func(a2a.Event, error) bool) { yield(m, nil) }
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
		{"test-resubscribe-message-id", slow},
		{"tck-complete-task", complete},
	}
}

func run(ctx context.Context, t *a2aexec.Turn) error {
	for _, b := range behaviors() {
		if strings.HasPrefix(t.Message.ID, b.prefix) {
			return b.run(ctx, t)
		}
	}
	return complete(ctx, t)
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

// slow leaves time to come back to the task.
func slow(ctx context.Context, t *a2aexec.Turn) error {
	t.Working("")
	select {
	case <-time.After(4 * time.Second):
		t.Complete("")
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
