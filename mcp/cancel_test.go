package mcp_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"rialto/mcp"
)

// waiter serves a tool that waits to be released or cancelled.
type waiter struct {
	begun   chan struct{}
	release chan struct{}
	ended   chan error // the error of the call's context when it ended
}

func newWaiter() *waiter {
	return &waiter{make(chan struct{}, 16), make(chan struct{}), make(chan error, 16)}
}

func (w *waiter) tool() mcp.Tool {
	return tool("wait", func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		c.Progress("begun")
		w.begun <- struct{}{}
		select {
		case <-ctx.Done():
		case <-w.release:
		}
		w.ended <- ctx.Err()
		return text("waited"), ctx.Err()
	})
}

// start sends a call and returns a channel for its answer once it has begun.
func (w *waiter) start(ctx context.Context, c *client, id string) chan string {
	r := c.request(ctx, id, "tools/call", `"name":"wait","_meta":{"progressToken":1}`)
	answer := make(chan string, 1)
	go func() {
		res, err := c.srv.Client().Do(r)
		if err != nil {
			answer <- "error: " + err.Error()
			return
		}
		defer res.Body.Close()
		b, _ := io.ReadAll(res.Body) // it breaks on purpose
		answer <- string(b)
	}()
	<-w.begun
	return answer
}

// mcp-go keyed calls by session and id alone, and had no session for stateless
// requests: anyone's notification stopped anyone's call.
func TestCancelReachesOnlyTheCallersOwnCall(t *testing.T) {
	w := newWaiter()
	srv := serve(t, &mcp.Server{Tools: []mcp.Tool{w.tool()}})
	ann := (&client{t: t, srv: srv, era: eras[0], who: "ann"}).initialize()
	other := (&client{t: t, srv: srv, era: eras[0], who: "ann"}).initialize()
	bob := (&client{t: t, srv: srv, era: eras[0], who: "bob"}).initialize()
	thief := &client{t: t, srv: srv, era: eras[0], who: "bob", session: ann.session}
	sessionless := &client{t: t, srv: srv, era: eras[0], who: "ann"}
	answer := w.start(context.Background(), ann, "7")

	for name, c := range map[string]*client{
		"another principal": bob, "another principal in the same session": thief,
		"another session": other, "nobody's session": sessionless,
		"the current era": {t: t, srv: srv, era: eras[1], who: "ann"},
	} {
		res, _ := c.do("", "notifications/cancelled", `"requestId":7`)
		if want := map[bool]int{true: http.StatusNotFound, false: http.StatusAccepted}[c == thief]; res.StatusCode != want {
			t.Errorf("%s: got %d, want %d", name, res.StatusCode, want)
		}
	}
	ann.do("", "notifications/cancelled", `"requestId":"7"`) // a string is another id
	select {
	case err := <-w.ended:
		t.Fatalf("another principal's cancel ended the call: %v", err)
	default:
	}
	ann.do("", "notifications/cancelled", `"requestId":7`)
	if err := <-w.ended; err != context.Canceled {
		t.Errorf("got %v, want the call cancelled", err)
	}
	if got := <-answer; !strings.Contains(got, "begun") || strings.Contains(got, `"id"`) {
		t.Errorf("a cancelled call was answered: %s", got)
	}
}

func TestDisconnectingCancelsInTheCurrentEra(t *testing.T) {
	w := newWaiter()
	srv := serve(t, &mcp.Server{Tools: []mcp.Tool{w.tool()}})
	ctx, hangUp := context.WithCancel(context.Background())
	answer := w.start(ctx, &client{t: t, srv: srv, era: eras[1]}, "1")
	hangUp()
	if err := <-w.ended; err != context.Canceled {
		t.Errorf("got %v, want the call cancelled", err)
	}
	<-answer
}

func TestDisconnectingDoesNotCancelInTheLegacyEra(t *testing.T) {
	w := newWaiter()
	s := &mcp.Server{Tools: []mcp.Tool{w.tool()}}
	srv := serve(t, s)
	gone := make(chan struct{})
	srv.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		context.AfterFunc(r.Context(), func() { close(gone) })
		s.ServeHTTP(rw, r)
	})
	ctx, hangUp := context.WithCancel(context.Background())
	answer := w.start(ctx, &client{t: t, srv: srv, era: eras[0]}, "1")
	hangUp()
	<-gone // the server has noticed
	select {
	case err := <-w.ended:
		t.Fatalf("the call ended with %v", err)
	default:
	}
	close(w.release)
	if err := <-w.ended; err != nil {
		t.Errorf("got %v, want a call that was not disturbed", err)
	}
	<-answer
}

// TestDetachedCallGoesOnWithoutItsClient: disconnecting ends the calls of other tools in
// the current era and with HTTP with SSE of 2024-11-05.
func TestDetachedCallGoesOnWithoutItsClient(t *testing.T) {
	for _, how := range []string{"2024-11-05", "2025-11-25", "2026-07-28"} {
		t.Run(how, func(t *testing.T) {
			w := newWaiter()
			stubborn := w.tool()
			stubborn.DetachedFor = time.Minute
			limit := make(chan time.Duration, 1)
			call := stubborn.Call
			stubborn.Call = func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
				deadline, _ := ctx.Deadline()
				limit <- time.Until(deadline)
				return call(ctx, c)
			}
			s := &mcp.Server{Tools: []mcp.Tool{stubborn}}
			srv := serveLegacy(t, s)
			gone := make(chan struct{})
			pair := srv.Config.Handler
			srv.Config.Handler = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet || how != "2024-11-05" { // the stream that is closed
					context.AfterFunc(r.Context(), func() { close(gone) })
				}
				if how == "2024-11-05" {
					pair.ServeHTTP(rw, r)
				} else {
					s.ServeHTTP(rw, r)
				}
			})
			ctx, hangUp := context.WithCancel(t.Context())
			if how == "2024-11-05" {
				c := (&legacyClient{t: t, origin: srv.URL}).open()
				c.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`)
				<-w.begun
				hangUp = c.hangUp
			} else {
				w.start(ctx, &client{t: t, srv: srv, era: era{how, how == "2026-07-28"}}, "1")
			}
			hangUp()
			<-gone // the server has noticed
			select {
			case err := <-w.ended:
				t.Fatalf("the call ended with %v", err)
			default:
			}
			close(w.release)
			if err := <-w.ended; err != nil {
				t.Errorf("got %v, want a call that was not disturbed", err)
			}
			if got := <-limit; got > time.Minute || got < 50*time.Second {
				t.Errorf("got %v for the call, want the tool's minute", got)
			}
		})
	}
}

func TestCancelledCallOfAClientThatTakesOnlyJSONIsAnError(t *testing.T) {
	w := newWaiter()
	srv := serve(t, &mcp.Server{Tools: []mcp.Tool{w.tool()}})
	c := (&client{t: t, srv: srv, era: eras[0]}).initialize()
	r := c.request(context.Background(), "1", "tools/call", `"name":"wait"`)
	r.Header.Set("Accept", "application/json")
	answer := make(chan string, 1)
	go func() {
		res, err := srv.Client().Do(r)
		if err != nil {
			answer <- err.Error()
			return
		}
		defer res.Body.Close()
		b, _ := io.ReadAll(res.Body)
		answer <- string(b)
	}()
	<-w.begun
	c.do("", "notifications/cancelled", `"requestId":1`)
	if got := <-answer; !strings.Contains(got, "-32800") {
		t.Errorf("got %s, want an error of code -32800", got)
	}
}
