package a2aclient_test

import (
	"errors"
	"net/http"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
)

// TestTheLastStatusOfAContextEndsItsTask has an agent report the end under another task id.
func TestTheLastStatusOfAContextEndsItsTask(t *testing.T) {
	const begun = `data: {"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t1","contextId":"c1","status":{"state":"working"}}}` + "\n\n"
	end := func(context string) string {
		return `data: {"jsonrpc":"2.0","id":1,"result":{"kind":"status-update","taskId":"t2","contextId":"` + context + `","status":{"state":"failed"},"final":true}}` + "\n\n"
	}
	for name, c := range map[string]struct {
		context string
		state   a2a.State
		err     error
	}{
		"of its context":      {"c1", a2a.Failed, nil},
		"of another context":  {"c2", a2a.Working, a2a.ErrStreamEnded},
		"of no named context": {"", a2a.Working, a2a.ErrStreamEnded},
	} {
		t.Run(name, func(t *testing.T) {
			rogue := &a2atest.Rogue{
				Card: `{"name":"x","url":"$URL/","protocolVersion":"0.3.0","preferredTransport":"JSONRPC","capabilities":{"streaming":true}}`,
				Answers: map[string][]a2atest.Answer{
					"message/stream": {{Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: begun + end(c.context)}},
				},
			}
			client, err := new(a2aclient.Dialer).Dial(t.Context(), rogue.Serve(t))
			if err != nil {
				t.Fatal(err)
			}
			var task *a2a.Task
			var last error
			for e, err := range client.Stream(t.Context(), a2atest.Say("x")) {
				last = err
				switch {
				case err != nil:
				case task == nil:
					task = e.(*a2a.Task).Clone()
				default:
					task.Apply(e)
				}
			}
			if task.Status.State != c.state || !errors.Is(last, c.err) {
				t.Errorf("got %s and %v, want %s and %v", task.Status.State, last, c.state, c.err)
			}
		})
	}
}
