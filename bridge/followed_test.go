package bridge_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
	"rialto/bridge"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
	"rialto/internal/transcript"
)

// TestTranscriptsAreFollowed plays the transcripts of a2aclient that send or follow a task with a
// follower behind the client: whatever the agent does, the task ends as the agent has it. Each
// section of testdata/followed.txtar has what the ledger holds when the task is idle, or after two
// minutes, and the calls.
func TestTranscriptsAreFollowed(t *testing.T) {
	transcript.Run(t, "testdata/followed.txtar", func(t *testing.T, _ *txtar.Archive) (got []txtar.File) {
		files, err := filepath.Glob("../a2a/a2aclient/testdata/*.txtar")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := strings.TrimSuffix(filepath.Base(file), ".txtar")
			rogue, do := a2atest.Script(t, archive, cardV10)
			if !strings.HasPrefix(do, "stream ") && !strings.HasPrefix(do, "answer ") && !strings.HasPrefix(do, "subscribe ") {
				continue
			}
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					got = append(got, txtar.File{Name: name, Data: []byte(followed(t, rogue, do))})
				})
			})
		}
		return got
	})
}

const cardV10 = `{"name":"x","skills":[],"capabilities":{"streaming":true},"supportedInterfaces":[{"url":"$URL","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`

// followed does what a transcript says, a line each, and tells what the ledger has afterwards.
func followed(t *testing.T, rogue *a2atest.Rogue, do string) string {
	dialer := &a2aclient.Dialer{HTTP: a2atest.Pipe(t, rogue), MaxBody: 1 << 16, IdleTimeout: 20 * time.Second}
	agents := map[string]peer{"one": {remote{Dialer: dialer, url: "http://agent.test/"}, nil}}
	r := newRigWith(t, "", agents, func(b *bridge.Bridge) { b.Runner.Pause = 0 }) // as in production
	access := r.Directory.AccessOf(directory.Caller{User: "alice"})
	var out strings.Builder
	for line := range strings.Lines(do) {
		line = strings.TrimSpace(line)
		verb, rest, _ := strings.Cut(line, " ")
		fmt.Fprintf(&out, "# %s\n", line)
		handle := r.begin(verb, rest)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		e, err := r.Runner.AwaitIdle(ctx, access, handle, func(string) {})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString(recordText(e))
	}
	out.WriteString("calls:")
	for _, call := range rogue.Calls() {
		out.WriteString(" " + call.Method)
	}
	return out.String() + "\n"
}

// begin sends "stream TEXT" or "answer TASK TEXT", or leaves "subscribe TASK" to the runner, which
// resumes tasks without a follower. It returns the handle of the task.
func (r *rig) begin(verb, rest string) string {
	access := r.Directory.AccessOf(directory.Caller{User: "alice"})
	id, text, _ := strings.Cut(rest, " ")
	message := &runner.Message{SendRequest: *a2atest.Say(rest)}
	e := &ledger.Record{
		Owner: "alice", Agent: "one", Handle: "handle", MessageID: "first", Asked: "paint it",
		Created: time.Now(), Updated: time.Now(),
		Task: &a2a.Task{ID: a2a.TaskID(id), ContextID: "c1", Status: a2a.Status{State: a2a.Working}},
	}
	switch verb {
	case "answer":
		message.SendRequest = *a2atest.Say(text)
		message.SendRequest.Message.TaskID = "handle"
		e.Task.Status.State, e.Idle = a2a.InputRequired, true
		r.add(e)
	case "subscribe":
		r.add(e)
		return e.Handle
	}
	sent, err := r.Runner.Send(r.t.Context(), access, message)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := sent.Recorded(); err != nil {
		r.t.Fatal(err)
	}
	return sent.Handle
}

func (r *rig) add(e *ledger.Record) {
	if err := r.db.Ledger.AddTask(r.t.Context(), e, r.Runner.Replica, 10); err != nil {
		r.t.Fatal(err)
	}
}

// recordText writes a record as a line.
func recordText(e *ledger.Record) string {
	out := string(e.State())
	if e.Task != nil {
		out += fmt.Sprintf(" %s", e.Task.ID)
		if m := e.Task.Status.Message; m != nil {
			out += fmt.Sprintf(" %q", m.Text())
		}
		for _, a := range e.Task.Artifacts {
			out += fmt.Sprintf(" [%s %q]", a.ID, a.Text())
		}
	}
	if e.Failure != nil {
		out += fmt.Sprintf(" failure %s: %s", e.Failure.Code, e.Failure.Message)
	}
	if e.Unconfirmed() {
		out += " unconfirmed"
	}
	return out + "\n"
}

// TestStreamsThatNeverEndAreLeft has agents whose streams flood us, fall silent, or never begin,
// while their tasks end: the follower reads the task.
func TestStreamsThatNeverEndAreLeft(t *testing.T) {
	const (
		card03  = `{"name":"x","url":"$URL","protocolVersion":"0.3.0","preferredTransport":"JSONRPC","capabilities":{"streaming":true}}`
		working = `{"jsonrpc":"2.0","id":$ID,"result":{"kind":"task","id":"t1","contextId":"c","status":{"state":"working"}}}`
		done    = `{"jsonrpc":"2.0","id":$ID,"result":{"kind":"task","id":"t1","contextId":"c","status":{"state":"completed"}}}`
	)
	stream := http.Header{"Content-Type": {"text/event-stream"}}
	event := "data: " + working + "\n\n"
	ends := []a2atest.Answer{{Body: working}, {Body: working}, {Body: done}}
	for name, c := range map[string]struct {
		do      string
		answers map[string][]a2atest.Answer
	}{
		"a flood of comments": {"stream x", map[string][]a2atest.Answer{
			"message/stream": {{Header: stream, Body: event, Repeat: ": x\n"}}, "tasks/get": ends}},
		"a flood of events": {"stream x", map[string][]a2atest.Answer{
			"message/stream": {{Header: stream, Body: event, Repeat: event}}, "tasks/get": ends}},
		"a subscription is not answered": {"subscribe t1", map[string][]a2atest.Answer{
			"tasks/resubscribe": {{Hold: true}}, "tasks/get": ends}},
		"a stream falls silent": {"stream x", map[string][]a2atest.Answer{
			"message/stream": {{Header: stream, Body: event, Hold: true}},
			"tasks/get":      append([]a2atest.Answer{{Status: http.StatusServiceUnavailable}}, ends...)}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rogue := &a2atest.Rogue{Card: card03, Answers: c.answers}
				if got := followed(t, rogue, c.do); !strings.Contains(got, "\ncompleted t1\n") {
					t.Errorf("got %s, want the task as its agent shows it", got)
				}
			})
		})
	}
}

// TestPausesGrowWhateverTheAgentTells follows tasks whose agents answer each poll and subscription
// at once, with something else each time. a2a-js 0.3.14 shows a history to subscriptions only: it
// got 78 subscriptions in 20 s.
func TestPausesGrowWhateverTheAgentTells(t *testing.T) {
	task := func(n int, history string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":$ID,"result":{"kind":"task","id":"t1","contextId":"c1","status":{"state":"working","message":{"kind":"message","role":"agent","messageId":"m%d","parts":[{"kind":"text","text":"step %d"}]}},"history":[%s]}}`, n, n, history)
	}
	const said = `{"kind":"message","role":"user","messageId":"u1","parts":[{"kind":"text","text":"x"}]}`
	stream := http.Header{"Content-Type": {"text/event-stream"}}
	var fresh []a2atest.Answer
	for n := range 1000 {
		fresh = append(fresh, a2atest.Answer{Body: task(n, "")})
	}
	for name, stands := range map[string][]a2atest.Answer{
		"only the history differs": {{Body: task(0, "")}},
		"the status differs":       fresh,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rogue := &a2atest.Rogue{
					Card: `{"name":"x","url":"http://agent.test/","protocolVersion":"0.3.0","preferredTransport":"JSONRPC","capabilities":{"streaming":true}}`,
					Answers: map[string][]a2atest.Answer{
						"message/stream":    {{Header: stream, Body: "data: " + task(0, said) + "\n\n"}},
						"tasks/resubscribe": {{Header: stream, Body: "data: " + task(0, said) + "\n\n"}},
						"tasks/get":         stands,
					},
				}
				if got := followed(t, rogue, "stream x"); !strings.Contains(got, "\nworking t1") {
					t.Errorf("got %s, want a task at work", got)
				}
				calls := map[string]int{}
				for _, c := range rogue.Calls() {
					calls[c.Method]++
				}
				if calls["tasks/get"] > 20 || calls["tasks/resubscribe"] > 5 {
					t.Errorf("got %v in two minutes, want a poll every ten seconds in the end, and at most 5 subscriptions", calls)
				}
			})
		})
	}
}
