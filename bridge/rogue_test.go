package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2aexec"
	"rialto/a2a/a2atest"
)

// kindAgent is an agent that completes every task.
func kindAgent(t *testing.T) peer {
	return running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		turn.Complete("done")
		return nil
	})
}

func far(url string) peer {
	return peer{Agent: remote{Dialer: &a2aclient.Dialer{Pause: time.Millisecond, MaxBody: 1 << 20}, url: url}}
}

// A message to each rogue has one of three outcomes: the task fails and the text says
// what the agent did, it completes because the error can be ignored, or it stays open
// because the agent may be working. Another agent of the same bridge keeps answering.
func TestARogueHarmsNobodyElse(t *testing.T) {
	want := map[string]struct {
		state a2a.State
		words string
	}{
		"silent":                        {a2a.Submitted, "still working"},
		"slow":                          {a2a.Working, "still working"},
		"endless answer":                {a2a.Failed, "the answer is too large"},
		"endless event":                 {a2a.Failed, "the answer is too large"},
		"endless event, later":          {a2a.Failed, "the answer is too large"},
		"endless task":                  {a2a.Failed, "the answer is too large"},
		"endless comments":              {a2a.Working, "still working"},
		"endless rubbish":               {a2a.Failed, "100 events in a row could not be decoded"},
		"endless artifact":              {a2a.Failed, "more than 16 MiB"},
		"endless artifacts":             {a2a.Working, "still working"},
		"endless error":                 {a2a.Failed, "the answer is too large"},
		"gzip bomb":                     {a2a.Failed, "the answer is too large"},
		"gzip bomb in a stream":         {a2a.Failed, "the answer is too large"},
		"malformed":                     {a2a.Failed, "the agent's answer is not A2A"},
		"deep":                          {a2a.Failed, "the answer is too large"},
		"of another shape":              {a2a.Failed, "the agent's answer is not A2A: task.status must not be a JSON string"},
		"HTML":                          {a2a.Failed, "the agent's answer is not A2A: the body is not JSONRPC but text/html \"<html>hello</html>\""},
		"JSON called HTML":              {a2a.Completed, ""},
		"a stream called text":          {a2a.Completed, ""},
		"a stream called JSON":          {a2a.Failed, "the agent's answer is not A2A"},
		"lies about the call's id":      {a2a.Completed, ""},
		"lies about the task's id":      {a2a.Working, "still working"},
		"lies about its version":        {a2a.Completed, ""},
		"breaks off before a word":      {a2a.Failed, "no answer from the agent"},
		"breaks off in a word":          {a2a.Failed, "no answer from the agent"},
		"breaks off in the middle":      {a2a.Completed, ""},
		"redirects to another host":     {a2a.Failed, "the agent answered HTTP 307 Temporary Redirect, a redirect to http://rialto.invalid/ that is not followed"},
		"redirects to itself":           {a2a.Failed, "a redirect to /rpc that is not followed"},
		"a header without end":          {a2a.Failed, "headers exceeded"},
		"repeats its chunks":            {a2a.Completed, "one, two\n"},
		"ends without an end":           {a2a.Failed, "The agent no longer knows this task."},
		"goes on after the end":         {a2a.Completed, ""},
		"sends artifacts after the end": {a2a.Completed, "one\ntwo\n"},
		"has artifacts after the end":   {a2a.Completed, "one\n"},
		"says plain text":               {a2a.Completed, "it is done\n"},
		"several messages":              {a2a.Completed, "one\ntwo\nthree\n"},
		"endless messages":              {a2a.Failed, "the answer is too large"},
		"an empty answer":               {a2a.Failed, "the agent's answer is not A2A"},
	}
	for name, rogue := range a2atest.Rogues() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, known := want[name]
			if !known {
				t.Fatal("the expected outcome is missing")
			}
			r := newRig(t, "", map[string]peer{"rogue": far(rogue.Serve(t)), "kind": kindAgent(t)})
			answered := make(chan *answer)
			go func() { answered <- r.call("send_task", `{"agent":"kind","message":"go"}`) }()
			wait := 1 // second, where nothing will come
			if want.state.Terminal() {
				wait = 100
			}
			got := r.call("send_task", fmt.Sprintf(`{"agent":"rogue","message":"go","wait":%d}`, wait))
			for tries := 0; got.State == a2a.Submitted && want.state == a2a.Working && tries < 30; tries++ { // a busy machine has not read its first word yet
				got = r.call("get_task", fmt.Sprintf(`{"task_id":%q,"wait":1}`, got.TaskID))
			}
			if got.State != want.state || !strings.Contains(got.Text, want.words) || got.IsError != (want.state == a2a.Failed) {
				t.Errorf("got %s, %.300q; want %s, %q", got.State, got.Text, want.state, want.words)
			}
			if len(got.raw) > 200_000 || len(rogue.Calls()) > 100 {
				t.Errorf("got %d bytes after %d calls", len(got.raw), len(rogue.Calls()))
			}
			(<-answered).want(t, a2a.Completed, false)
		})
	}
}

func TestAnAgentThatIsDownSaysWhenItIsTriedAgain(t *testing.T) {
	rogue := a2atest.Rogues()["breaks off before a word"]
	r := newRig(t, "", map[string]peer{"rogue": far(rogue.Serve(t))})
	var got *answer
	for range 7 {
		got = r.call("send_task", `{"message":"go"}`)
	}
	got.refused(t, "the agent rogue failed")
	if !strings.Contains(got.Text, "next attempt in") || len(rogue.Calls()) != 5 {
		t.Errorf("got %q after %d calls, want 5", got.Text, len(rogue.Calls()))
	}
}

// TestRoguesWithoutEndTakeABoundedSpace has all that never stop, and the bombs,
// write at once to one bridge.
func TestRoguesWithoutEndTakeABoundedSpace(t *testing.T) {
	const most = 256 << 20
	agents := map[string]peer{}
	for name, rogue := range a2atest.Rogues() {
		if strings.HasPrefix(name, "endless") || strings.HasPrefix(name, "gzip") {
			agents[strings.NewReplacer(" ", "-", ",", "").Replace(name)] = far(rogue.Serve(t))
		}
	}
	r := newRig(t, "", agents)
	runtime.GC()
	stop, peak := make(chan struct{}), make(chan uint64)
	before := heap()
	go func() {
		var most uint64
		for {
			select {
			case <-stop:
				peak <- most
				return
			case <-time.After(5 * time.Millisecond):
				most = max(most, heap())
			}
		}
	}()
	var all sync.WaitGroup
	for name := range agents {
		all.Go(func() { r.call("send_task", fmt.Sprintf(`{"agent":%q,"message":"go","wait":1}`, name)) })
	}
	all.Wait()
	close(stop)
	if got := <-peak; got > before+most {
		t.Errorf("took %d MiB, want at most %d", (got-before)>>20, most>>20)
	} else {
		t.Logf("%d rogues at once took %d MiB", len(agents), (got-min(got, before))>>20)
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestARogueCardReachesNothing reads cards that are as bad as the rogues.
func TestARogueCardReachesNothing(t *testing.T) {
	elsewhere := &a2atest.Rogue{}
	away := elsewhere.Serve(t)
	one := `{"url":"$URL/rpc%d","protocolBinding":"JSONRPC","protocolVersion":"1.0"}`
	many := make([]string, 3000)
	for i := range many {
		many[i] = fmt.Sprintf(one, i)
	}
	card := func(a a2atest.Answer) *a2atest.Rogue {
		return &a2atest.Rogue{Answers: map[string][]a2atest.Answer{"GET /.well-known/agent-card.json": {a}}}
	}
	for name, c := range map[string]struct {
		rogue *a2atest.Rogue
		calls int // at most
	}{
		"a card without end":           {card(a2atest.Answer{Body: `{"name":"`, Repeat: strings.Repeat("x", 1<<16)}), 3},
		"a card that is none":          {card(a2atest.Answer{Body: `[]`}), 3},
		"a card that is broken off":    {card(a2atest.Answer{Body: `{"name":`, Cut: true}), 3},
		"a card elsewhere":             {card(a2atest.Answer{Status: http.StatusFound, Header: http.Header{"Location": {away + "/card"}}}), 3},
		"a card of thousands of ways":  {&a2atest.Rogue{Card: `{"name":"x","supportedInterfaces":[` + strings.Join(many, ",") + `]}`}, 8},
		"a card of a way that is none": {&a2atest.Rogue{Card: `{"name":"x","supportedInterfaces":[{"url":"http://%zz","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`}, 0},
		"a card of files":              {&a2atest.Rogue{Card: `{"name":"x","supportedInterfaces":[{"url":"file:///etc/passwd","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "", map[string]peer{"rogue": far(c.rogue.Serve(t)), "kind": kindAgent(t)})
			got := r.call("send_task", `{"agent":"rogue","message":"go","wait":1}`)
			if !got.IsError || len(c.rogue.Calls()) > c.calls || len(elsewhere.Calls()) > 0 {
				t.Errorf("got %s, %q after %d calls here and %d elsewhere", got.State, got.Text, len(c.rogue.Calls()), len(elsewhere.Calls()))
			}
			listed := r.call("list_agents", `{}`)
			var list struct{ Agents []struct{ Name string } }
			if err := json.Unmarshal(listed.raw, &list); err != nil || len(list.Agents) != 2 {
				t.Errorf("got %s, %v, want both agents", listed.raw, err)
			}
			r.call("send_task", `{"agent":"kind","message":"go"}`).want(t, a2a.Completed, false)
		})
	}
}
