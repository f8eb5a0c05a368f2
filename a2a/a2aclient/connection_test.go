package a2aclient_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
)

// once is a credential that is refused the first time.
type once struct{ sent atomic.Int32 }

func (o *once) Apply(req *http.Request, _ a2aclient.Caller) error {
	if o.sent.Add(1) > 1 {
		req.Header.Set("Authorization", "Bearer second")
	}
	return nil
}

func (o *once) Renew(*http.Request, a2aclient.Caller) bool { return true }

func TestCallsShareAConnection(t *testing.T) {
	rogue := &a2atest.Rogue{Card: cardV10, Answers: map[string][]a2atest.Answer{
		"SendMessage": {{Status: http.StatusUnauthorized, Body: "no"}, {Body: completed}},
		"GetTask":     {{Status: 502, Body: "<html>"}, {Body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32001}}`}},
		"SendStreamingMessage": {{Header: http.Header{"Content-Type": {"text/event-stream"}},
			Body: "data: " + completed + "\n\n"}},
	}}
	var connections atomic.Int32
	web := httptest.NewUnstartedServer(rogue)
	web.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			connections.Add(1)
		}
	}
	web.Start()
	t.Cleanup(web.Close)
	c, err := (&a2aclient.Dialer{Credentials: &once{}}).Dial(t.Context(), web.URL)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if _, err := c.For("ann").Send(t.Context(), a2atest.Say("x")); err != nil {
			t.Fatal(err)
		}
		_, _ = c.Task(t.Context(), a2a.TaskQuery{ID: "t1"})
		for _, err := range c.Stream(t.Context(), a2atest.Say("x")) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	// A stream that was left before its end takes its connection with it.
	if got := connections.Load(); got > 6 {
		t.Errorf("got %d connections for 17 calls", got)
	}
}
