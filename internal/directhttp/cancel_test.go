package directhttp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// errGaveUp is why a caller does not wait any longer.
var errGaveUp = errors.New("the caller gave up")

const begun = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"

// TestTheEndOfTheContextEndsTheCall ends it when the peer has got so far. The peer
// then is hung up, and the connection is not used again.
func TestTheEndOfTheContextEndsTheCall(t *testing.T) {
	for name, said := range map[string]string{
		"no answer": "", "half a header": "HTTP/1.1 200 OK\r\nContent-Le", "100 Continue": "HTTP/1.1 100 Continue\r\n\r\n",
		"an event stream": begun, "half a body": "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello",
		"half a compressed body": "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 99\r\n\r\n" + zip("hello")[:12],
	} {
		for _, used := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				ctx, give := context.WithCancelCause(t.Context())
				gone := make(chan struct{})
				p := serve(t, func(v *visit) {
					if used {
						v.read()
						v.say(hello)
					}
					v.read()
					v.say(said)
					give(errGaveUp)
					v.gone()
					close(gone)
				})
				d := direct(t)
				if used {
					wantHello(t, d, post(t, t.Context(), p.url, "x"))
				}
				if got, err := call(d, post(t, ctx, p.url, "x")); err != errGaveUp {
					t.Errorf("got %q, %v, want %v", got, err, errGaveUp)
				}
				<-gone
				if all, _ := d.Idle(); all != 0 {
					t.Error("the connection was kept")
				}
			})
		}
	}
}

// TestAConnectionIsNotKeptIfTheContextHasEnded ends it when the whole answer is there,
// but has not been read.
func TestAConnectionIsNotKeptIfTheContextHasEnded(t *testing.T) {
	gone := make(chan struct{})
	p := serve(t, func(v *visit) {
		v.read()
		v.say(hello)
		v.gone()
		close(gone)
	})
	ctx, cancel := context.WithCancel(t.Context())
	d := direct(t)
	resp, err := d.RoundTrip(post(t, ctx, p.url, "x"))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	<-gone
	_, _ = io.ReadAll(resp.Body)
	if all, _ := d.Idle(); all != 0 {
		t.Error("the connection was kept")
	}
}

func TestADeadlineEndsTheCall(t *testing.T) {
	p := serve(t, func(v *visit) { v.read(); v.say(begun); v.gone() })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := call(direct(t), post(t, ctx, p.url, "x")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestACallWhoseContextHasEndedIsNotMade(t *testing.T) {
	p := serve(t, func(v *visit) { v.read(); v.say(hello) })
	ctx, give := context.WithCancelCause(t.Context())
	give(errGaveUp)
	if _, err := call(direct(t), post(t, ctx, p.url, "x")); err != errGaveUp {
		t.Errorf("got %v, want %v", err, errGaveUp)
	}
	if conns, _ := p.seen(); conns != 0 {
		t.Error("the peer was called")
	}
}

func TestTheEndOfTheContextEndsTheDialling(t *testing.T) {
	ctx, give := context.WithCancelCause(t.Context())
	d := direct(t)
	d.Next.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		give(errGaveUp)
		<-ctx.Done()
		return nil, errors.New("dial: canceled")
	}
	if _, err := call(d, post(t, ctx, "http://agent", "x")); err != errGaveUp {
		t.Errorf("got %v, want %v", err, errGaveUp)
	}
}

// TestTheEndOfTheContextEndsTheWriting writes to a pipe, of which nobody reads more
// than the beginning.
func TestTheEndOfTheContextEndsTheWriting(t *testing.T) {
	ctx, give := context.WithCancelCause(t.Context())
	ours, peers := net.Pipe()
	go func() {
		_, _ = io.ReadFull(peers, make([]byte, 10))
		give(errGaveUp)
	}()
	d := direct(t)
	d.Next.DialContext = func(context.Context, string, string) (net.Conn, error) { return ours, nil }
	if _, err := call(d, post(t, ctx, "http://agent", strings.Repeat("x", 1<<15))); err != errGaveUp {
		t.Errorf("got %v, want %v", err, errGaveUp)
	}
}

// TestABodyMayBeClosedByAnother closes it while it is being read.
func TestABodyMayBeClosedByAnother(t *testing.T) {
	p := serve(t, func(v *visit) { v.read(); v.say(begun); v.gone() })
	resp, err := direct(t).RoundTrip(post(t, t.Context(), p.url, "x"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(resp.Body, make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	go resp.Body.Close()
	if _, err := resp.Body.Read(make([]byte, 1)); !errors.Is(err, http.ErrBodyReadAfterClose) {
		t.Errorf("got %v", err)
	}
}

func TestThePatienceWithAHeaderEnds(t *testing.T) {
	for name, said := range map[string]string{"nothing": "", "a drip": "HTTP/1.1 200 OK\r\nX: y\r\n", "a promise": "HTTP/1.1 100 Continue\r\n\r\n"} {
		for _, method := range []string{http.MethodPost, http.MethodGet} {
			t.Run(name, func(t *testing.T) {
				p := serve(t, func(v *visit) {
					v.read()
					v.say(hello)
					v.read()
					v.say(said)
					v.gone()
				})
				d := direct(t)
				wantHello(t, d, get(t, p.url))
				d.Next.ResponseHeaderTimeout = 5 * time.Millisecond
				req := get(t, p.url)
				if method == http.MethodPost {
					req = post(t, t.Context(), p.url, "x")
				}
				if _, err := call(d, req); !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("got %v", err)
				}
				eventually(t, "the peer has read it", func() bool { _, requests := p.seen(); return len(requests) == 2 })
				if conns, _ := p.seen(); conns != 1 {
					t.Errorf("got %d connections, want 1", conns)
				}
			})
		}
	}
}

// dated is a connection that knows until when it may be read.
type dated struct {
	*net.TCPConn
	until time.Time
}

func (d *dated) SetReadDeadline(until time.Time) error {
	d.until = until
	return d.TCPConn.SetReadDeadline(until)
}

func TestABodyMayTakeAsLongAsItTakes(t *testing.T) {
	p := serve(t, func(v *visit) { v.read(); v.say(begun); v.gone() })
	d, dial, conn := direct(t), (&net.Dialer{}).DialContext, &dated{}
	d.Next.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		conn.TCPConn, _ = c.(*net.TCPConn)
		return conn, err
	}
	resp, err := d.RoundTrip(post(t, t.Context(), p.url, "x"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if !conn.until.IsZero() {
		t.Errorf("its body has to be there by %s", conn.until)
	}
}
