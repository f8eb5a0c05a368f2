package bridge_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
	"rialto/bridge"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/internal/raced"
)

const (
	pollCard    = `{"name":"x","skills":[],"capabilities":{},"supportedInterfaces":[{"url":"$URL","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`
	workingTask = `{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}`
)

// working is the answer of an agent to method, whose task is at work with more members.
func working(method, more string) a2atest.Answer {
	task := strings.TrimSuffix(workingTask, "}") + more + "}"
	if method == "SendMessage" {
		task = `{"task":` + task + `}`
	}
	return a2atest.Answer{Body: `{"jsonrpc":"2.0","id":$ID,"result":` + task + `}`}
}

// savedTasks counts the writes of tasks after the first.
type savedTasks struct {
	ledger.Store
	saves atomic.Int64
}

func (l *savedTasks) SaveTask(ctx context.Context, e *ledger.Record, replica string) error {
	l.saves.Add(1)
	return l.Store.SaveTask(ctx, e, replica)
}

// pollRig has one agent behind a pipe, and pauses as in production.
func pollRig(t *testing.T, agent http.Handler) (r *rig, written *savedTasks) {
	dialer := &a2aclient.Dialer{HTTP: a2atest.Pipe(t, agent)}
	peers := map[string]peer{"one": {remote{Dialer: dialer, url: "http://agent.test/"}, nil}}
	r = newRigWith(t, "", peers, func(b *bridge.Bridge) {
		b.Runner.Pause = 0
		written = &savedTasks{Store: b.Runner.Ledger}
		b.Runner.Ledger = written
	})
	return r, written
}

// TestAnUnchangedTaskIsNoNews has an agent that does not stream work for ten minutes and show the
// same at each poll: a large task was written, announced and counted again each time.
func TestAnUnchangedTaskIsNoNews(t *testing.T) {
	raced.Skip(t)
	synctest.Test(t, func(t *testing.T) {
		large := `,"artifacts":[{"artifactId":"a","parts":[{"text":"` + strings.Repeat("x", 1<<20) + `"}]}]`
		rogue := &a2atest.Rogue{Card: pollCard, Answers: map[string][]a2atest.Answer{
			"SendMessage": {working("SendMessage", large)},
			"GetTask":     {working("GetTask", large)},
		}}
		r, written := pollRig(t, rogue)
		ctx, cancel := context.WithTimeout(as(t.Context(), "alice"), 10*time.Minute)
		defer cancel()
		events := 0
		for e := range r.Proxy.Agent("one").Stream(ctx, say("x")) {
			if e != nil {
				events++
			}
		}
		if polls := len(rogue.Calls()); polls < 60 {
			t.Errorf("the agent got %d calls, want a poll every ten seconds", polls)
		}
		if events > 2 || written.saves.Load() > 2 {
			t.Errorf("got %d events and %d writes of a task that does not change", events, written.saves.Load())
		}
	})
}

// outage is an agent that is down for a while.
type outage struct {
	*a2atest.Rogue
	from, to time.Time
}

func (o outage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := time.Now()
	if now.After(o.from) && now.Before(o.to) {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	o.Rogue.ServeHTTP(w, r)
}

// TestAStreamComesBackAfterAnOutage: polls that failed counted as subscriptions that ended soon, so
// that a restart of 30 s made the follower poll an agent that streams.
func TestAStreamComesBackAfterAnOutage(t *testing.T) {
	for _, down := range []time.Duration{10 * time.Second, time.Minute, 10 * time.Minute} {
		t.Run(down.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stream := http.Header{"Content-Type": {"text/event-stream"}}
				event := `data: {"jsonrpc":"2.0","id":$ID,"result":{"task":` + workingTask + "}}\n\n"
				rogue := &a2atest.Rogue{Card: cardV10, Answers: map[string][]a2atest.Answer{
					"SendStreamingMessage": {{Header: stream, Body: event, Cut: true}},
					"SubscribeToTask":      {{Header: stream, Body: event, Hold: true}},
					"GetTask":              {working("GetTask", "")},
				}}
				began := time.Now()
				r, _ := pollRig(t, outage{rogue, began.Add(100 * time.Millisecond), began.Add(down)})
				r.begin("stream", "x")
				time.Sleep(down + 2*time.Minute)
				subscribed := false
				for _, c := range rogue.Calls() {
					subscribed = subscribed || c.Method == "SubscribeToTask"
				}
				if !subscribed {
					t.Errorf("got %d calls and no subscription after the outage", len(rogue.Calls()))
				}
			})
		})
	}
}

// TestAQuestionOfAnAgentWithoutTasksIsAsked: an agent that answers messages only, and an answer
// with its next question, cannot say how the task stands: the question is held back for a poll.
func TestAQuestionOfAnAgentWithoutTasksIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		question := `{"jsonrpc":"2.0","id":$ID,"result":{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_INPUT_REQUIRED",` +
			`"message":{"role":"ROLE_AGENT","messageId":"q2","parts":[{"text":"which size?"}]}}}}}`
		rogue := &a2atest.Rogue{Card: pollCard, Answers: map[string][]a2atest.Answer{"SendMessage": {{Body: question}}}}
		r, _ := pollRig(t, rogue)
		handle := r.begin("answer", "t1 blue")
		access := r.Directory.AccessOf(directory.Caller{User: "alice"})
		e, err := r.Runner.AwaitIdle(t.Context(), access, handle, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		if e.State() != a2a.InputRequired || e.Task.Status.Message.Text() != "which size?" {
			t.Errorf("got %s", recordText(e))
		}
	})
}
