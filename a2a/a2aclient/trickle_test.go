package a2aclient_test

import (
	"context"
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

// trickle is a body that brings a byte a second, first once and then again and again.
type trickle struct {
	first, again string
	ctx          context.Context
	closed       context.CancelFunc
}

func newTrickle(ctx context.Context, first, again string) *trickle {
	t := &trickle{first: first, again: again}
	t.ctx, t.closed = context.WithCancel(ctx)
	return t
}

func (t *trickle) Read(p []byte) (int, error) {
	select {
	case <-t.ctx.Done():
		return 0, io.ErrClosedPipe
	case <-time.After(time.Second):
	}
	if t.first == "" {
		t.first = t.again
	}
	p[0], t.first = t.first[0], t.first[1:]
	return 1, nil
}

func (t *trickle) Close() error {
	t.closed()
	return nil
}

// trickling shows a card and answers each call with a trickle.
type trickling struct{ card, kind, first, again string }

func (a trickling) RoundTrip(r *http.Request) (*http.Response, error) {
	resp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: r, Body: io.NopCloser(strings.NewReader(a.card))}
	if r.Method == http.MethodPost {
		resp.Header.Set("Content-Type", a.kind)
		resp.Body = newTrickle(r.Context(), a.first, a.again)
	}
	return resp, nil
}

// TestAnAgentThatTricklesIsNotWaitedFor has agents that answer a message with a byte a second:
// a blocking send took as long as they did.
func TestAnAgentThatTricklesIsNotWaitedFor(t *testing.T) {
	const card = `{"name":"x","url":"http://agent.test/","protocolVersion":"0.3.0","preferredTransport":"JSONRPC","capabilities":{"streaming":true}}`
	for name, c := range map[string]struct {
		kind, first, again string
		most               time.Duration
	}{
		"an answer":               {"application/json", `{"jsonrpc":"2.0","id":1,"result":"`, "x", time.Minute + time.Second},
		"an event":                {"text/event-stream", "data: ", "x", time.Minute + 10*time.Second},
		"an event, after one":     {"text/event-stream", "data: x\n\nevent: ", "y", time.Minute + 20*time.Second},
		"comments, and no event":  {"text/event-stream", ":", " ", 10*time.Minute + time.Second},
		"an answer of no type":    {"", "", " ", time.Minute + 10*time.Second},
		"events that say nothing": {"text/event-stream", "", "data: x\n\n", 20 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, err := (&a2aclient.Dialer{HTTP: &http.Client{Transport: trickling{card, c.kind, c.first, c.again}}}).Dial(t.Context(), "http://agent.test/")
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				began := time.Now()
				for _, err = range client.Stream(ctx, a2atest.Say("x")) {
				}
				if took := time.Since(began); took > c.most || !a2a.Is(err, a2a.Unavailable) && !a2a.Is(err, a2a.InvalidAgentResponse) {
					t.Errorf("got %v after %s, want an error within %s", err, took, c.most)
				}
			})
		})
	}
}

// TestAStreamMayBeSilentBetweenEvents: keep-alive comments do not count as a slow event.
func TestAStreamMayBeSilentBetweenEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const card = `{"name":"x","url":"http://agent.test/","protocolVersion":"0.3.0","preferredTransport":"JSONRPC","capabilities":{"streaming":true}}`
		quiet := strings.Repeat(": keep-alive\n\n", 20) // 280 seconds
		const said = "data: {\"id\":1,\"error\":\ndata: {\"code\":-1}}\n\n"
		client, err := (&a2aclient.Dialer{HTTP: &http.Client{Transport: trickling{card, "text/event-stream", quiet + said, ":"}}}).Dial(t.Context(), "http://agent.test/")
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for _, err = range client.Stream(t.Context(), a2atest.Say("x")) {
		}
		if took := time.Since(began); took < 280*time.Second || err == nil || !err.(*a2a.Error).Remote {
			t.Errorf("got %v after %s", err, took)
		}
	})
}
