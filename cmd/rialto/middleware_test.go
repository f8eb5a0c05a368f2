package main

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
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

// A body that never comes once held its connection for ever: the deadline was
// lifted when it passed, and the server then waited for the rest.
func TestABodyThatDoesNotComeIsGivenUp(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"that is read": func(w http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(r.Body)
			http.Error(w, fmt.Sprint(err), http.StatusBadRequest)
		},
		"that is not": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := oneConn{make(chan net.Conn, 1), make(chan struct{})}
				served, slow := net.Pipe()
				l.conn <- served
				srv := newHTTPServer(bounded(handler), slog.New(slog.DiscardHandler))
				go srv.Serve(l)
				begun := time.Now()
				go fmt.Fprint(slow, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{")
				res, err := http.ReadResponse(bufio.NewReader(slow), nil)
				if err != nil || res.StatusCode != http.StatusBadRequest || time.Since(begun) != bodyTime {
					t.Errorf("got %v, %v after %v, want 400 after %v", res, err, time.Since(begun), bodyTime)
				}
				slow.Close()
				close(l.done)
				srv.Close()
			})
		})
	}
}
