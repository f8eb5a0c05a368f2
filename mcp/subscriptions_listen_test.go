package mcp_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"rialto/mcp"
)

// open sends a request whose answer is a stream, and returns its lines.
func open(ctx context.Context, c *client, id, method, params string) (*http.Response, *bufio.Reader) {
	c.t.Helper()
	res, err := c.srv.Client().Do(c.request(ctx, id, method, params))
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { res.Body.Close() })
	return res, bufio.NewReader(res.Body)
}

// await reads lines until one begins with prefix.
func await(t testing.TB, r *bufio.Reader, prefix string) string {
	t.Helper()
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatalf("%v before a line that begins with %q", err, prefix)
		}
		if strings.HasPrefix(line, prefix) {
			return line
		}
	}
}

func TestListenAcknowledgesAndStaysOpen(t *testing.T) {
	srv := serve(t, &mcp.Server{Limits: mcp.Limits{KeepAlive: time.Millisecond}})
	c := &client{t: t, srv: srv, era: eras[1]}
	ctx, hangUp := context.WithCancel(context.Background())
	defer hangUp()
	res, lines := open(ctx, c, `"listen:0"`, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`)
	if res.Header.Get("X-Accel-Buffering") != "no" || res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("got the header %v", res.Header)
	}
	ack := strings.TrimPrefix(await(t, lines, "data: {"), "data: ")
	if !strings.Contains(ack, `"io.modelcontextprotocol/subscriptionId":"listen:0"`) || !strings.Contains(ack, `"notifications":{}`) {
		t.Errorf("got %s, want nothing promised to listen:0", ack)
	}
	for range 3 {
		await(t, lines, ":")
	}
}

func TestListenEndsWithAResult(t *testing.T) {
	srv := serve(t, &mcp.Server{Limits: mcp.Limits{ListenFor: time.Millisecond}})
	c := &client{t: t, srv: srv, era: eras[1]}
	_, body := c.do("3", "subscriptions/listen", `"notifications":{}`)
	stream := events(t, body)
	if len(stream) != 2 || !strings.Contains(stream[1], `"id":3,"result":{"resultType":"complete"`) {
		t.Errorf("got %q, want an acknowledgement and a result", stream)
	}
}

func TestListenIsBoundedAndDoesNotCountAsACall(t *testing.T) {
	srv := serve(t, &mcp.Server{Limits: mcp.Limits{StreamsPerUser: 2, MaxCalls: 1}})
	c := &client{t: t, srv: srv, era: eras[1], who: "ann"}
	ctx, hangUp := context.WithCancel(context.Background())
	defer hangUp()
	for range 2 {
		_, lines := open(ctx, c, "1", "subscriptions/listen", "")
		await(t, lines, "data: {")
	}
	if res, _ := c.do("2", "tools/list", ""); res.StatusCode != http.StatusOK {
		t.Errorf("a call next to two streams: got %d", res.StatusCode)
	}
	if res, _ := c.do("3", "subscriptions/listen", ""); res.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a third stream: got %d, want 429", res.StatusCode)
	}
}

func TestListenNeedsAClientThatTakesStreams(t *testing.T) {
	c := &client{t: t, srv: serve(t, &mcp.Server{}), era: eras[1]}
	r := c.request(context.Background(), "1", "subscriptions/listen", "")
	r.Header.Set("Accept", "application/json")
	res, err := c.srv.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusNotAcceptable {
		t.Errorf("got %d, want 406", res.StatusCode)
	}
}

func TestLongCallIsKeptAliveAndStillAnswered(t *testing.T) {
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			w := newWaiter()
			srv := serve(t, &mcp.Server{Tools: []mcp.Tool{w.tool()}, Limits: mcp.Limits{KeepAlive: time.Millisecond}})
			c := &client{t: t, srv: srv, era: era}
			_, lines := open(context.Background(), c, "1", "tools/call", `"name":"wait"`) // and no token
			await(t, lines, ":")
			await(t, lines, ":")
			close(w.release)
			if got := await(t, lines, "data: {"); !strings.Contains(got, "waited") {
				t.Errorf("got %s, want the result", got)
			}
			if rest, err := io.ReadAll(lines); err != nil || strings.Contains(string(rest), "data") {
				t.Errorf("got %q, %v after the result", rest, err)
			}
		})
	}
}

func TestCallThatTakesTooLongIsEnded(t *testing.T) {
	w := newWaiter()
	srv := serve(t, &mcp.Server{Tools: []mcp.Tool{w.tool()}, Limits: mcp.Limits{CallTimeout: time.Millisecond}})
	c := &client{t: t, srv: srv, era: eras[0]}
	_, body := c.do("1", "tools/call", `"name":"wait"`)
	if err := <-w.ended; err != context.DeadlineExceeded || !strings.Contains(body, "-32603") {
		t.Errorf("got %v and %s, want a deadline and an internal error", err, body)
	}
}
