package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rialto/mcp"
	"rialto/mcp/mcptest"
)

func TestBodyThatIsTooLargeIsRefused(t *testing.T) {
	srv := serve(t, &mcp.Server{Tools: mcptest.Tools(), Limits: mcp.Limits{MaxBody: 1000}})
	c := &client{t: t, srv: srv, era: eras[0]}
	if res, _ := c.do("1", "ping", `"pad":"`+strings.Repeat("x", 900)+`"`); res.StatusCode != http.StatusOK {
		t.Errorf("a body below the limit: got %d", res.StatusCode)
	}
	for name, chunked := range map[string]bool{"with its length": false, "in chunks": true} {
		r := c.request(context.Background(), "1", "ping", `"pad":"`+strings.Repeat("x", 2000)+`"`)
		if chunked {
			r.ContentLength = -1
		}
		res, err := srv.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("a large body sent %s: got %d, want 413", name, res.StatusCode)
		}
	}
}

func TestDefaultBodyLimitIsFourMebibytes(t *testing.T) {
	srv := serve(t, &mcp.Server{Tools: mcptest.Tools()})
	c := &client{t: t, srv: srv, era: eras[0]}
	if res, _ := c.do("1", "ping", `"pad":"`+strings.Repeat("x", 4<<20)+`"`); res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("got %d, want 413", res.StatusCode)
	}
}

// oneConn is a listener for one connection, in memory, so that the clock can be
// the test's.
type oneConn struct {
	conn chan net.Conn
	done chan struct{}
}

func (l oneConn) Accept() (net.Conn, error) {
	select {
	case c := <-l.conn:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l oneConn) Close() error   { return nil }
func (l oneConn) Addr() net.Addr { return &net.TCPAddr{} }

func TestSlowBodyTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := oneConn{make(chan net.Conn, 1), make(chan struct{})}
		served, slow := net.Pipe()
		l.conn <- served
		srv := &http.Server{Handler: &mcp.Server{Info: mcp.Implementation{Name: "test", Version: "1"}, Tools: mcptest.Tools()}}
		go srv.Serve(l)
		begun := time.Now()
		go fmt.Fprint(slow, "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
		res, err := http.ReadResponse(bufio.NewReader(slow), nil)
		if err != nil || res.StatusCode != http.StatusBadRequest || time.Since(begun) != 30*time.Second {
			t.Errorf("got %v, %v after %v, want 400 after 30 seconds", res, err, time.Since(begun))
		}
		slow.Close()
		close(l.done)
		srv.Close()
	})
}

// The timeout of the body must not end the call: the HTTP server goes on reading the
// connection to notice a disconnect.
func TestCallMayTakeLongerThanABody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := mcptest.Tools()[0]
		slow.Name = "slow"
		slow.Call = func(ctx context.Context, _ *mcp.Call) (*mcp.Result, error) {
			select {
			case <-time.After(2 * time.Minute):
				return &mcp.Result{Content: []mcp.Content{mcp.Text("done")}}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		l := oneConn{make(chan net.Conn, 1), make(chan struct{})}
		served, client := net.Pipe()
		l.conn <- served
		srv := &http.Server{Handler: &mcp.Server{Info: mcp.Implementation{Name: "test", Version: "1"}, Tools: []mcp.Tool{slow}}}
		go srv.Serve(l)
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow","arguments":{"text":"a"},"_meta":{` +
			`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"},` +
			`"io.modelcontextprotocol/clientCapabilities":{}}}}`
		go fmt.Fprintf(client, "POST /mcp HTTP/1.1\r\nHost: a\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"+
			"Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: slow\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		res, err := http.ReadResponse(bufio.NewReader(client), nil)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(res.Body)
		if err != nil || strings.Count(string(b), ": keep-alive\n") != 7 && strings.Count(string(b), ": keep-alive\n") != 8 || !strings.Contains(string(b), `"text":"done"`) {
			t.Errorf("got %v and\n%s\nwant a comment every 15 seconds, and then done", err, b)
		}
		client.Close()
		close(l.done)
		srv.Close()
	})
}

func TestConcurrentCallsOfAPrincipalAreBounded(t *testing.T) {
	w := newWaiter()
	srv := serve(t, &mcp.Server{Tools: []mcp.Tool{w.tool()}, Limits: mcp.Limits{MaxCalls: 2}})
	ann := &client{t: t, srv: srv, era: eras[1], who: "ann"}
	one := w.start(context.Background(), ann, "1")
	two := w.start(context.Background(), ann, "2")
	res, _ := ann.do("3", "tools/list", "")
	if res.StatusCode != http.StatusTooManyRequests || res.Header.Get("Retry-After") == "" {
		t.Errorf("got %d, Retry-After %q, want 429 and when to retry", res.StatusCode, res.Header.Get("Retry-After"))
	}
	bob := &client{t: t, srv: srv, era: eras[1], who: "bob"}
	if res, _ := bob.do("1", "tools/list", ""); res.StatusCode != http.StatusOK {
		t.Errorf("another principal got %d", res.StatusCode)
	}
	close(w.release)
	<-one
	<-two
	if res, _ := ann.do("4", "tools/list", ""); res.StatusCode != http.StatusOK {
		t.Errorf("after the calls have ended: got %d", res.StatusCode)
	}
}

func TestCheckReportsAMisconfiguredServer(t *testing.T) {
	ok := mcptest.Tools()[0]
	named := mcp.Implementation{Name: "a", Version: "1"}
	for name, s := range map[string]*mcp.Server{
		"no name":                    {Info: mcp.Implementation{Version: "1"}},
		"two tools of one name":      {Info: named, Tools: []mcp.Tool{ok, ok}},
		"a tool that cannot be call": {Info: named, Tools: []mcp.Tool{{Name: "b", InputSchema: ok.InputSchema}}},
		"a schema that is not JSON":  {Info: named, Tools: []mcp.Tool{withSchema(`{`)}},
		"a schema of no object":      {Info: named, Tools: []mcp.Tool{withSchema(`{"type":"string"}`)}},
		"no schema":                  {Info: named, Tools: []mcp.Tool{withSchema(``)}},
		"a header for a number": {Info: named, Tools: []mcp.Tool{withSchema(
			`{"type":"object","properties":{"a":{"type":"number","x-mcp-header":"A"}}}`)}},
	} {
		t.Run(name, func(t *testing.T) {
			if s.Check() == nil {
				t.Error("Check found nothing")
			}
			rec := httptest.NewRecorder()
			s.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader("{}")))
			if rec.Code != http.StatusInternalServerError {
				t.Errorf("got %d, want 500", rec.Code)
			}
		})
	}
}

func withSchema(s string) mcp.Tool {
	t := mcptest.Tools()[0]
	t.InputSchema = json.RawMessage(s)
	return t
}
