// Package a2atest tests A2A agents and what carries them: an agent that follows
// commands, a suite that every way to an agent must pass, and rogue
// peers that serve whatever bytes a test writes down.
package a2atest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
)

// Agent does what the first word of a message says, the same each time:
//
//	echo WORDS    an artifact with WORDS, then completed
//	parts         an artifact with the other parts of the message
//	chunks        an artifact in three chunks
//	drafts WORDS  an artifact with each of WORDS as a file, one replacing the other
//	wait WORDS    works until Release, then as echo
//	hang          works until it is canceled
//	ask WORDS     asks WORDS; the next message is done as if it came alone
//	form SCHEMA   asks for what is of the schema; the answer is as that to ask
//	auth WORDS    asks for authorization
//	fail WORDS    fails
//	reject WORDS  rejects
//	say WORDS     answers with a message, without a task
//	refuse CODE   no task: an *a2a.Error with the code
//	break         no task: an internal error
//
// A message without text, or with another word, is echoed whole.
type Agent struct {
	exec *a2aexec.Executor
	gate chan struct{}
	once sync.Once

	mu       sync.Mutex
	received []*a2a.SendRequest
}

var _ a2a.Agent = (*Agent)(nil)

// NewAgent returns an Agent. Close it.
func NewAgent() *Agent {
	a := &Agent{gate: make(chan struct{})}
	a.exec = &a2aexec.Executor{Run: a.run}
	return a
}

// Close ends what the agent is doing.
func (a *Agent) Close() error { return a.exec.Close() }

// Release lets every "wait" go on, now and later.
func (a *Agent) Release() { a.once.Do(func() { close(a.gate) }) }

// Received returns what has been sent to the agent, in order.
func (a *Agent) Received() []*a2a.SendRequest {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]*a2a.SendRequest(nil), a.received...)
}

// Card returns a card for the agent, without interfaces.
func (a *Agent) Card() *a2a.Card {
	return &a2a.Card{
		Name:               "Scripted",
		Description:        "Does what it is told.",
		Version:            "1.0.0",
		Provider:           &a2a.Provider{Organization: "Rialto", URL: "https://rialto.example"},
		Capabilities:       a2a.Capabilities{Streaming: true},
		DefaultInputModes:  []string{"text/plain"},
		DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.Skill{{ID: "echo", Name: "Echo", Description: "Says what was said.",
			Tags: []string{"test"}, Examples: []string{"echo hello"}}},
	}
}

// Send delivers a message (a2a.Agent).
func (a *Agent) Send(ctx context.Context, req *a2a.SendRequest) (a2a.Event, error) {
	if m, err := a.without(req); m != nil || err != nil {
		return m, err
	}
	return a.exec.Send(ctx, req)
}

// Stream delivers a message and follows it (a2a.Agent).
func (a *Agent) Stream(ctx context.Context, req *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
	if m, err := a.without(req); m != nil || err != nil {
		return func(yield func(a2a.Event, error) bool) { yield(m, err) }
	}
	return a.exec.Stream(ctx, req)
}

// Task returns a task (a2a.Agent).
func (a *Agent) Task(ctx context.Context, q a2a.TaskQuery) (*a2a.Task, error) {
	return a.exec.Task(ctx, q)
}

// Cancel stops a task (a2a.Agent).
func (a *Agent) Cancel(ctx context.Context, id a2a.TaskID) (*a2a.Task, error) {
	return a.exec.Cancel(ctx, id)
}

// Subscribe follows a task (a2a.Agent).
func (a *Agent) Subscribe(ctx context.Context, id a2a.TaskID) iter.Seq2[a2a.Event, error] {
	return a.exec.Subscribe(ctx, id)
}

// Tasks lists the tasks (a2a.Lister).
func (a *Agent) Tasks(ctx context.Context, f a2a.TaskFilter) (*a2a.TaskPage, error) {
	return a.exec.Tasks(ctx, f)
}

// without does what needs no task. The event is nil if one is needed.
func (a *Agent) without(req *a2a.SendRequest) (a2a.Event, error) {
	a.mu.Lock()
	a.received = append(a.received, req)
	a.mu.Unlock()
	switch verb, words := script(req.Message); verb {
	case "say":
		return &a2a.Message{ID: "reply-to-" + req.Message.ID, ContextID: req.Message.ContextID,
			Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart(words)}}, nil
	case "refuse":
		return nil, a2a.Errorf(a2a.Code(words), "told to refuse with %s", words)
	case "break":
		return nil, errors.New("a secret of the agent")
	default:
		return nil, nil
	}
}

// script reads the first part of m, if it is text.
func script(m *a2a.Message) (verb, words string) {
	text, _ := m.Parts[0].Content.(a2a.Text)
	verb, words, _ = strings.Cut(string(text), " ")
	return verb, words
}

func (a *Agent) run(ctx context.Context, t *a2aexec.Turn) error {
	verb, words := script(t.Message)
	switch verb {
	case "echo":
		echo(t, a2a.TextPart(words))
	case "parts":
		echo(t, t.Message.Parts[1:]...)
	case "chunks":
		chunks(t)
	case "drafts":
		for _, w := range strings.Fields(words) {
			t.Artifact(a2a.Artifact{ID: "draft", Name: "Draft", Parts: []a2a.Part{{Content: a2a.Raw(w), Filename: w + ".txt", MediaType: "text/plain"}}})
		}
		t.Complete("done")
	case "wait":
		t.Working("waiting")
		select {
		case <-a.gate:
			echo(t, a2a.TextPart(words))
		case <-ctx.Done():
			return ctx.Err()
		}
	case "hang":
		t.Working("hanging")
		<-ctx.Done()
		return ctx.Err()
	case "ask":
		t.Ask(words)
	case "form":
		t.AskForm("fill this in", json.RawMessage(words))
	case "auth":
		t.AskAuth(words)
	case "fail":
		t.Fail(words)
	case "reject":
		t.Reject(words)
	default:
		echo(t, t.Message.Parts...)
	}
	return nil
}

func echo(t *a2aexec.Turn, parts ...a2a.Part) {
	t.Working("working")
	t.Artifact(a2a.Artifact{ID: "echo", Name: "echo.txt", Parts: parts})
	t.Complete("done")
}

func chunks(t *a2aexec.Turn) {
	for i := range 3 {
		t.Append(a2a.Artifact{ID: "chunks", Parts: []a2a.Part{a2a.TextPart(fmt.Sprint("chunk ", i+1))}}, i == 2)
	}
	t.Complete("done")
}
