package peers

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
	"rialto/a2a/a2atest/tour"
)

// asking is an HTTP client that asks for members that nobody knows, and counts the
// answers that say that they may have some.
type asking struct{ given atomic.Int32 }

func (a *asking) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("A2A-Extensions", a2a.OtherMembers)
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && resp.Header.Get("A2A-Extensions") == a2a.OtherMembers {
		a.given.Add(1)
	}
	return resp, err
}

// TestTheirClientsReadOverWhatLaterGenerationsAdd: who asks for it gets it, and a2a-go
// is able to, of 2.4.0 except in parts; that of 0.3 gets none, whatever it asks.
func TestTheirClientsReadOverWhatLaterGenerationsAdd(t *testing.T) {
	for _, w := range ways {
		if w.binding == a2a.GRPC || w.generation == a2a.V03 && w.binding != a2a.JSONRPC {
			continue // where there are no names, or which neither of them speaks
		}
		t.Run(w.String(), func(t *testing.T) {
			agent := a2atest.NewLater()
			t.Cleanup(func() { agent.Close() })
			dial := Dial03
			if w.generation == a2a.V10 {
				dial = Dial10(string(w.binding))
			}
			by := &asking{}
			c, err := dial(deadline(t), serveOver(t, agent, agent.Card(), w), "", &http.Client{Transport: by})
			if err != nil {
				t.Fatal(err)
			}
			sent, err := c.Send(deadline(t), tour.Message{Text: "echo hello"})
			if err != nil || sent.Text != "hello" || sent.State != "completed" {
				t.Fatalf("send: got %+v, %v", sent, err)
			}
			if got, err := c.Task(deadline(t), sent.ID); err != nil || got != sent {
				t.Errorf("get: got %+v, %v, want %+v", got, err, sent)
			}
			var text, last string
			for e, err := range c.Stream(deadline(t), tour.Message{Text: "chunks"}) {
				if err != nil {
					t.Fatal(err)
				}
				text, last = text+e.Text, e.State
			}
			if strings.Count(text, "chunk") < 3 || last != "completed" {
				t.Errorf("stream: got %q, %q", text, last)
			}
			if given := by.given.Load() > 0; given != (w.generation == a2a.V10) {
				t.Errorf("it got what nobody knows: %v", given)
			}
		})
	}
}

// TestTheirServerReadsOverWhatOurCallersAdd: a2a-go takes messages with members that
// it does not know.
func TestTheirServerReadsOverWhatOurCallersAdd(t *testing.T) {
	eachServer(t, func(t *testing.T, c *a2aclient.Client) {
		req := a2atest.Say("echo hello there")
		req.Message.Others = a2a.Members{"skillHint": json.RawMessage(`{"a":[1]}`)}
		if task := sendTask(t, c, req); task.Artifacts[0].Text() != "hello\nthere" {
			t.Errorf("got %+v", task)
		}
	})
}
