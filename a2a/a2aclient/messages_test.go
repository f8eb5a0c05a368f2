package a2aclient_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
)

// paused serves a card, and answers each call with the events, a pause before each, and then
// silence, or no further event if it ends.
type paused struct {
	card  string
	event []string
	pause time.Duration
	ends  bool
}

func (p paused) RoundTrip(r *http.Request) (*http.Response, error) {
	resp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: r, Body: io.NopCloser(strings.NewReader(p.card))}
	if r.Method != http.MethodPost {
		return resp, nil
	}
	resp.Header.Set("Content-Type", "text/event-stream")
	out, in := io.Pipe()
	resp.Body = out
	go func() {
		for _, e := range p.event {
			select {
			case <-time.After(p.pause):
			case <-r.Context().Done():
				return
			}
			if _, err := io.WriteString(in, "data: "+`{"jsonrpc":"2.0","id":1,"result":{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"`+e+`"}]}}}`+"\n\n"); err != nil {
				return
			}
		}
		if p.ends {
			in.Close()
		}
	}()
	return resp, nil
}

// TestMessagesOfOneStreamAreOneAnswer also has streams that their agent leaves open.
func TestMessagesOfOneStreamAreOneAnswer(t *testing.T) {
	many := strings.Split(strings.Repeat("x", 1000), "")
	for name, c := range map[string]struct {
		agent paused
		want  string
		took  time.Duration
	}{
		"one, and the end":       {paused{event: []string{"one"}, ends: true}, "one", 0},
		"three, and the end":     {paused{event: []string{"one", "two", "three"}, pause: 9 * time.Second, ends: true}, "one\ntwo\nthree", 27 * time.Second},
		"two, and silence":       {paused{event: []string{"one", "two"}}, "one\ntwo", 10 * time.Second},
		"one every nine seconds": {paused{event: many, pause: 9 * time.Second}, strings.Join(many[:67], "\n"), 10*time.Minute + 9*time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.agent.card = cardV10
				client, err := (&a2aclient.Dialer{HTTP: &http.Client{Transport: c.agent}}).Dial(t.Context(), "http://agent.test")
				if err != nil {
					t.Fatal(err)
				}
				began, answers := time.Now(), 0
				for e, err := range client.Stream(t.Context(), a2atest.Say("x")) {
					answers++
					m, ok := e.(*a2a.Message)
					if err != nil || !ok || m.Text() != c.want || time.Since(began) != c.took {
						t.Errorf("got %v, %v after %v", e, err, time.Since(began))
					}
				}
				if answers != 1 {
					t.Errorf("got %d answers, want 1", answers)
				}
			})
		})
	}
}
