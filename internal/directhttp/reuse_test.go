package directhttp_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestCallsShareAConnection(t *testing.T) {
	p := serve(t, func(v *visit) {
		for v.read() {
			v.say(hello)
		}
	})
	d := direct(t)
	for range 3 {
		wantHello(t, d, post(t, t.Context(), p.url, "x"))
		wantHello(t, d, get(t, p.url))
	}
	if conns, requests := p.seen(); conns != 1 || len(requests) != 6 {
		t.Errorf("got %d connections for %d calls, want 1 for 6", conns, len(requests))
	}
}

// TestAConnectionThatHasBeenHeardMeanwhileIsNotUsed has the peer do something
// between two calls, which then must not be taken for the second answer, nor lose
// the second message.
func TestAConnectionThatHasBeenHeardMeanwhileIsNotUsed(t *testing.T) {
	for name, then := range map[string]func(*visit){
		"it closed":        func(v *visit) { v.Close() },
		"it said more":     func(v *visit) { v.say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong") },
		"it reset":         func(v *visit) { _ = v.Conn.(*net.TCPConn).SetLinger(0); v.Close() },
		"it said one byte": func(v *visit) { v.say("\n") },
	} {
		t.Run(name, func(t *testing.T) {
			kept := make(chan struct{})
			p := serve(t, func(v *visit) {
				for v.read() {
					if v.say(hello); v.n == 1 {
						<-kept
						then(v)
						v.gone()
					}
				}
			})
			d := direct(t)
			wantHello(t, d, post(t, t.Context(), p.url, "first"))
			close(kept)
			eventually(t, "the connection is not quiet", func() bool { _, heard := d.Idle(); return heard == 1 })
			wantHello(t, d, post(t, t.Context(), p.url, "second"))
			if conns, requests := p.seen(); conns != 2 || len(requests) != 2 {
				t.Errorf("got %d connections and %d requests, want 2 and 2", conns, len(requests))
			}
		})
	}
}

func TestAConnectionIsNotKeptIfMoreCameThanTheAnswer(t *testing.T) {
	for name, more := range map[string]string{"a byte": "x", "an answer": hello} {
		t.Run(name, func(t *testing.T) {
			p := serve(t, func(v *visit) {
				for v.read() {
					v.say(hello + more)
				}
			})
			d := direct(t)
			wantHello(t, d, post(t, t.Context(), p.url, "x"))
			if all, _ := d.Idle(); all != 0 {
				t.Error("the connection was kept")
			}
		})
	}
}

func TestAConnectionIsNotKeptIfItsBodyWasNotRead(t *testing.T) {
	gone := make(chan struct{})
	p := serve(t, func(v *visit) {
		v.read()
		v.say("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
		v.gone()
		close(gone)
	})
	d := direct(t)
	resp, err := d.RoundTrip(post(t, t.Context(), p.url, "x"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(resp.Body, make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	<-gone
	if _, err := resp.Body.Read(make([]byte, 1)); !errors.Is(err, http.ErrBodyReadAfterClose) {
		t.Errorf("got %v after the body was closed", err)
	}
	if all, _ := d.Idle(); all != 0 {
		t.Error("the connection was kept")
	}
}

func TestAConnectionIsHungUpIfItsBodyIsBroken(t *testing.T) {
	gone := make(chan struct{})
	p := serve(t, func(v *visit) {
		v.read()
		v.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n")
		v.gone()
		close(gone)
	})
	resp, err := direct(t).RoundTrip(post(t, t.Context(), p.url, "x"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := resp.Body.Read(make([]byte, 1)); err == nil || err == io.EOF {
			t.Errorf("got %v", err)
		}
	}
	<-gone
}

// TestAMessageIsSentOnce has the peer take the second message of a connection, and
// close it without an answer.
func TestAMessageIsSentOnce(t *testing.T) {
	p := serve(t, func(v *visit) {
		v.read()
		v.say(hello)
		if v.n == 1 {
			v.read()
		}
	})
	d := direct(t)
	wantHello(t, d, post(t, t.Context(), p.url, "first"))
	if got, err := call(d, post(t, t.Context(), p.url, "second")); err == nil {
		t.Errorf("got %q, want an error", got)
	}
	if conns, requests := p.seen(); conns != 1 || len(requests) != 2 {
		t.Errorf("got %d connections and %d requests, want 1 and 2", conns, len(requests))
	}
}

func TestAQuestionIsAskedAgain(t *testing.T) {
	p := serve(t, func(v *visit) {
		v.read()
		v.say(hello)
		if v.n == 1 {
			v.read()
		}
	})
	d := direct(t)
	wantHello(t, d, get(t, p.url))
	wantHello(t, d, get(t, p.url))
	if conns, requests := p.seen(); conns != 2 || len(requests) != 3 {
		t.Errorf("got %d connections and %d requests, want 2 and 3", conns, len(requests))
	}
}

// frail is a connection whose second writing ends after some bytes.
type frail struct {
	*net.TCPConn
	writes, bytes int
}

func (f *frail) Write(p []byte) (int, error) {
	if f.writes++; f.writes != 2 {
		return f.TCPConn.Write(p)
	}
	n, _ := f.TCPConn.Write(p[:f.bytes])
	return n, errors.New("it broke")
}

func TestAMessageIsSentAgainOnlyIfNothingOfItHasLeft(t *testing.T) {
	for bytes, wantErr := range map[int]bool{0: false, 1: true} {
		p := serve(t, func(v *visit) {
			for v.read() {
				v.say(hello)
			}
		})
		d, dial := direct(t), (&net.Dialer{}).DialContext
		d.Next.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return &frail{TCPConn: c.(*net.TCPConn), bytes: bytes}, nil
		}
		wantHello(t, d, post(t, t.Context(), p.url, "first"))
		_, err := call(d, post(t, t.Context(), p.url, "second"))
		if (err != nil) != wantErr {
			t.Errorf("after %d bytes: got %v", bytes, err)
		}
		if _, requests := p.seen(); !wantErr && !strings.HasSuffix(requests[1], "second") {
			t.Errorf("got %q", requests[1])
		}
	}
}

func TestNoMoreConnectionsAreKeptThanMayBe(t *testing.T) {
	answer := make(chan struct{})
	p := serve(t, func(v *visit) {
		for v.read() {
			<-answer
			v.say(hello)
		}
	})
	d := direct(t)
	d.Next.MaxIdleConnsPerHost = 2
	done := make(chan error)
	for range 5 {
		req := post(t, t.Context(), p.url, "x")
		go func() {
			_, err := call(d, req)
			done <- err
		}()
	}
	eventually(t, "all are there", func() bool { _, requests := p.seen(); return len(requests) == 5 })
	close(answer)
	for range 5 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if all, _ := d.Idle(); all != 2 {
		t.Errorf("got %d connections, want 2", all)
	}
}

func TestIdleConnectionsAreClosed(t *testing.T) {
	var open atomic.Int32
	p := serve(t, func(v *visit) {
		open.Add(1)
		defer open.Add(-1)
		for v.read() {
			v.say(hello)
		}
	})
	d := direct(t)
	wantHello(t, d, post(t, t.Context(), p.url, "x"))
	d.CloseIdleConnections()
	eventually(t, "it is closed when it has to be", func() bool { return open.Load() == 0 })

	d = direct(t)
	d.Next.IdleConnTimeout = time.Millisecond
	wantHello(t, d, post(t, t.Context(), p.url, "x"))
	eventually(t, "it is closed when it is old", func() bool { return open.Load() == 0 })
}
