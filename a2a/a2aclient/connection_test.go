package a2aclient_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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

// TestAStreamThatEndsAfterItsLastEventLeavesItsConnection has the agent end the
// stream only when the caller has long gone on.
func TestAStreamThatEndsAfterItsLastEventLeavesItsConnection(t *testing.T) {
	gone, kept := make(chan struct{}), make(chan error, 1)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, strings.ReplaceAll(cardV10, "$URL", "http://"+r.Host))
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: "+strings.ReplaceAll(completed, "$ID", "1")+"\n\n")
		w.(http.Flusher).Flush()
		<-gone
	}))
	t.Cleanup(web.Close)
	release := sync.OnceFunc(func() { close(gone) })
	t.Cleanup(release)
	c, err := (&a2aclient.Dialer{}).Dial(t.Context(), web.URL)
	if err != nil {
		t.Fatal(err)
	}
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{PutIdleConn: func(err error) { kept <- err }})
	for _, err := range c.Stream(ctx, a2atest.Say("x")) {
		if err != nil {
			t.Fatal(err)
		}
	}
	release()
	select {
	case err := <-kept:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("the connection was cut")
	}
}

// TestAMessageIsSentOnce closes a kept connection after the second message on it has
// arrived, without an answer. The agent may have acted on it, so it is not sent again.
func TestAMessageIsSentOnce(t *testing.T) {
	var messages atomic.Int32
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, strings.ReplaceAll(cardV10, "$URL", "http://"+r.Host))
			return
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil || messages.Add(1) > 1 {
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, strings.ReplaceAll(completed, "$ID", "1"))
	}))
	t.Cleanup(web.Close)
	c, err := (&a2aclient.Dialer{}).Dial(t.Context(), web.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Send(t.Context(), a2atest.Say("first")); err != nil {
		t.Fatal(err)
	}
	if e, err := c.Send(t.Context(), a2atest.Say("second")); err == nil {
		t.Errorf("got %v, want an error", e)
	}
	if got := messages.Load(); got != 2 {
		t.Errorf("got %d messages, want 2", got)
	}
}
