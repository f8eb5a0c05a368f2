package server

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"rialto/internal/slowconn"
)

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

// served serves h on a connection in memory, and calls test with the other end.
func served(t *testing.T, h http.HandlerFunc, test func(t *testing.T, peer net.Conn)) {
	synctest.Test(t, func(t *testing.T) {
		l := oneConn{make(chan net.Conn, 1), make(chan struct{})}
		ours, peer := net.Pipe()
		l.conn <- ours
		srv := newHTTPServer(&outerHandler{observer: observer{log: slog.New(slog.DiscardHandler)}, next: h}, slog.New(slog.DiscardHandler))
		srv.Protocols = &http.Protocols{}
		srv.Protocols.SetHTTP1(true)
		srv.Protocols.SetUnencryptedHTTP2(true)
		go srv.Serve(slowconn.NewListener(l))
		test(t, peer)
		peer.Close()
		close(l.done)
		srv.Close()
	})
}

const longPost = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n"

func reads(w http.ResponseWriter, r *http.Request) {
	if _, err := io.ReadAll(r.Body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

func refuses(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }

// A body that never comes once held its connection indefinitely: the deadline was lifted when it
// passed, and the server then waited for the rest. Later, a request that is refused by its header
// was answered only when its body had come.
func TestABodyHasADeadline(t *testing.T) {
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		status  int
		after   time.Duration
	}{
		{"that is read", reads, http.StatusBadRequest, bodyTimeout},
		{"that is refused", refuses, http.StatusUnauthorized, refusedBody},
	} {
		t.Run(c.name, func(t *testing.T) {
			served(t, c.handler, func(t *testing.T, peer net.Conn) {
				begun := time.Now()
				go fmt.Fprint(peer, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{")
				in := bufio.NewReader(peer)
				res, err := http.ReadResponse(in, nil)
				if err != nil || res.StatusCode != c.status || time.Since(begun) != c.after {
					t.Fatalf("got %v, %v after %v, want %d after %v", res, err, time.Since(begun), c.status, c.after)
				}
				_, _ = io.Copy(io.Discard, in) // until the server closes the connection
				if took := time.Since(begun); took > c.after+time.Second {
					t.Errorf("the connection was closed after %v, want %v", took, c.after)
				}
			})
		})
	}
}

// TestABodyMayBeSlow has bodies of 1 MiB: one that comes with 20 KiB a second, and one with 1 KiB.
func TestABodyMayBeSlow(t *testing.T) {
	for size, want := range map[int]int{20 << 10: http.StatusOK, 1 << 10: http.StatusBadRequest} {
		served(t, reads, func(t *testing.T, peer net.Conn) {
			begun, stopped := time.Now(), make(chan struct{})
			go func() {
				defer close(stopped)
				_, err := io.WriteString(peer, longPost)
				for sent := 0; err == nil && sent < 1<<20; sent += size {
					time.Sleep(time.Second)
					_, err = io.WriteString(peer, strings.Repeat("x", min(size, 1<<20-sent)))
				}
			}()
			res, err := http.ReadResponse(bufio.NewReader(peer), nil)
			if err != nil || res.StatusCode != want || time.Since(begun) > time.Minute {
				t.Errorf("%d bytes a second: got %v, %v after %v, want %d", size, res, err, time.Since(begun), want)
			}
			peer.Close()
			<-stopped
		})
	}
}

// TestAnAnswerThatNobodyReadsEndsTheConnection has one peer that stops reading and one that is slow.
func TestAnAnswerThatNobodyReadsEndsTheConnection(t *testing.T) {
	const size = 1 << 20
	ended := make(chan time.Duration, 1)
	writes := func(w http.ResponseWriter, _ *http.Request) {
		begun := time.Now()
		_, err := w.Write(make([]byte, size))
		if err == nil {
			err = http.NewResponseController(w).Flush()
		}
		if err != nil {
			ended <- time.Since(begun)
		}
	}
	served(t, writes, func(t *testing.T, peer net.Conn) {
		ended = make(chan time.Duration, 1)
		go fmt.Fprint(peer, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		if got := <-ended; got != slowconn.WriteTimeout {
			t.Errorf("the connection was closed after %v, want %v", got, slowconn.WriteTimeout)
		}
	})
	for pause, whole := range map[time.Duration]bool{3 * time.Second: true, slowconn.WriteTimeout - time.Second: false} {
		served(t, writes, func(t *testing.T, peer net.Conn) {
			ended = make(chan time.Duration, 1)
			go fmt.Fprint(peer, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
			res, err := http.ReadResponse(bufio.NewReader(peer), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			got, begun := 0, time.Now()
			for piece := make([]byte, slowconn.Piece); err == nil; time.Sleep(pause) {
				var n int
				n, err = io.ReadFull(res.Body, piece)
				got += n
			}
			if (got == size) != whole || !whole && time.Since(begun) > 4*slowconn.WriteTimeout {
				t.Errorf("64 KiB every %v: got %d bytes after %v, %v", pause, got, time.Since(begun), err)
			}
		})
	}
}

// TestAnAnswerThatNobodyReadsEndsItsStream has a peer of HTTP/2 that reads its connection and leaves
// the window of its streams shut. One stream is quiet for longer than an answer may wait.
func TestAnAnswerThatNobodyReadsEndsItsStream(t *testing.T) {
	answers := func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/large":
			_, _ = w.Write(make([]byte, 1<<20))
		case "/small":
			_, _ = io.WriteString(w, "small")
		case "/quiet":
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}
	}
	served(t, answers, func(t *testing.T, peer net.Conn) {
		begun := time.Now()
		frames := http2.NewFramer(peer, peer)
		asked := make(chan error, 1)
		go func() {
			_, err := io.WriteString(peer, http2.ClientPreface)
			err = errors.Join(err, frames.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}))
			for i, path := range []string{"/large", "/small", "/quiet"} {
				var head bytes.Buffer
				fields := hpack.NewEncoder(&head)
				for _, f := range []hpack.HeaderField{{Name: ":method", Value: "GET"}, {Name: ":scheme", Value: "http"}, {Name: ":authority", Value: "a"}, {Name: ":path", Value: path}} {
					err = errors.Join(err, fields.WriteField(f))
				}
				err = errors.Join(err, frames.WriteHeaders(http2.HeadersFrameParam{StreamID: uint32(2*i + 1), BlockFragment: head.Bytes(), EndStream: true, EndHeaders: true}))
			}
			asked <- err
		}()
		for ended := 0; ended < 2; {
			f, err := frames.ReadFrame()
			if err != nil {
				t.Fatal(err)
			}
			if _, reset := f.(*http2.RSTStreamFrame); !reset {
				continue
			}
			if took := time.Since(begun); f.Header().StreamID == 5 || took != slowconn.WriteTimeout {
				t.Errorf("stream %d ended after %v, want the others after %v", f.Header().StreamID, took, slowconn.WriteTimeout)
			}
			ended++
		}
		if err := <-asked; err != nil {
			t.Error(err)
		}
	})
}

// TestARequestIsRefusedByItsHeader has requests without a token whose body never comes.
func TestARequestIsRefusedByItsHeader(t *testing.T) {
	r := newRig(t)
	for _, path := range []string{"/mcp", "/mcp/tools/call", "/message:send", "/a2a/any"} {
		body, end := io.Pipe()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.cfg.Load().URL+path, body)
		if err != nil {
			t.Fatal(err)
		}
		req.ContentLength = 100
		req.Header.Set("Content-Type", "application/json")
		begun := time.Now()
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		res.Body.Close()
		end.Close()
		if took := time.Since(begun); res.StatusCode != http.StatusUnauthorized || took > bodyTimeout/2 {
			t.Errorf("%s: got %s after %v, want 401 at once", path, res.Status, took)
		}
	}
}
