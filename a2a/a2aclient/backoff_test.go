package a2aclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
)

// inside calls a handler in place of a network, so that a test can have its own clock.
type inside struct{ http.Handler }

func (h inside) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	resp := w.Result()
	resp.Request = r
	return resp, nil
}

// TestLooksAtATaskBackOffWhateverTheAgentSays follows tasks whose agents answer each look and
// subscription at once, with something else each time. a2a-js 0.3.14 shows a history to
// subscriptions only: 78 subscriptions in 20 s.
func TestLooksAtATaskBackOffWhateverTheAgentSays(t *testing.T) {
	task := func(n int, history string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t1","contextId":"c1","status":{"state":"working","message":{"kind":"message","role":"agent","messageId":"m%d","parts":[{"kind":"text","text":"step %d"}]}},"history":[%s]}}`, n, n, history)
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
				client, err := (&a2aclient.Dialer{HTTP: &http.Client{Transport: inside{rogue}}}).Dial(t.Context(), "http://agent.test/")
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
				defer cancel()
				for _, err = range client.Stream(ctx, a2atest.Say("x")) {
				}
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
				calls := map[string]int{}
				for _, c := range rogue.Calls() {
					calls[c.Method]++
				}
				if calls["tasks/get"] > 70 || calls["tasks/resubscribe"] > 5 {
					t.Errorf("got %v in ten minutes, want a look every ten seconds in the end, and at most 5 subscriptions", calls)
				}
			})
		})
	}
}

// TestTheLastStatusOfAContextEndsItsTask has an agent report the end under another task id.
func TestTheLastStatusOfAContextEndsItsTask(t *testing.T) {
	const begun = `data: {"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t1","contextId":"c1","status":{"state":"working"}}}` + "\n\n"
	end := func(context string) string {
		return `data: {"jsonrpc":"2.0","id":1,"result":{"kind":"status-update","taskId":"t2","contextId":"` + context + `","status":{"state":"failed"},"final":true}}` + "\n\n"
	}
	const working = `{"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t1","contextId":"c1","status":{"state":"completed"}}}`
	for name, c := range map[string]struct {
		context string
		want    a2a.State
	}{
		"of its context":      {"c1", a2a.Failed},
		"of another context":  {"c2", a2a.Completed},
		"of no named context": {"", a2a.Completed},
	} {
		t.Run(name, func(t *testing.T) {
			rogue := &a2atest.Rogue{
				Card: `{"name":"x","url":"$URL/","protocolVersion":"0.3.0","preferredTransport":"JSONRPC","capabilities":{"streaming":true}}`,
				Answers: map[string][]a2atest.Answer{
					"message/stream": {{Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: begun + end(c.context)}},
					"tasks/get":      {{Body: working}},
				},
			}
			client, err := (&a2aclient.Dialer{Pause: time.Millisecond}).Dial(t.Context(), rogue.Serve(t))
			if err != nil {
				t.Fatal(err)
			}
			var task *a2a.Task
			for e, err := range client.Stream(t.Context(), a2atest.Say("x")) {
				if err != nil {
					t.Fatal(err)
				}
				if task == nil {
					task = e.(*a2a.Task).Clone()
				} else {
					task.Apply(e)
				}
			}
			if task.Status.State != c.want {
				t.Errorf("got %s, want %s", task.Status.State, c.want)
			}
		})
	}
}
