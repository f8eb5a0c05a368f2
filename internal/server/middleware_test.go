package server

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
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

// A body that never comes once held its connection indefinitely: the deadline was
// lifted when it passed, and the server then waited for the rest.
func TestABodyHasADeadline(t *testing.T) {
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
				srv := newHTTPServer(limitBodyTime(handler), slog.New(slog.DiscardHandler))
				go srv.Serve(l)
				begun := time.Now()
				go fmt.Fprint(slow, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{")
				res, err := http.ReadResponse(bufio.NewReader(slow), nil)
				if err != nil || res.StatusCode != http.StatusBadRequest || time.Since(begun) != bodyTimeout {
					t.Errorf("got %v, %v after %v, want 400 after %v", res, err, time.Since(begun), bodyTimeout)
				}
				slow.Close()
				close(l.done)
				srv.Close()
			})
		})
	}
}

func TestInvalidTextInAddressesIsRejected(t *testing.T) {
	r := newRig(t)
	if err := r.oauth.Accounts.SetAdmin(t.Context(), "alice", true); err != nil {
		t.Fatal(err)
	}
	token := r.operatorToken()
	for _, path := range []string{
		"/api/v1/admin/clients?text=%00", "/api/v1/admin/accounts?text=%ff", "/api/v1/admin/grants?client_id=a%00", "/api/v1/admin/tasks?agent=%c3%28",
		"/api/v1/admin/audit?actor=%00", "/api/v1/usage?tool=%00", "/api/v1/audit?target=%ff", "/api/v1/admin/clients/%00", "/api/v1/tasks/%ff", "/answer/%00", "/documents/task:%00", "/shared/%ff",
	} {
		got := r.do("GET", path, token, "")
		if got.status != http.StatusBadRequest || !strings.Contains(got.body, "holds a NUL, or bytes that are not UTF-8") {
			t.Errorf("%s: got %s", path, got.said())
		}
	}
	if got := r.do("GET", "/api/v1/admin/accounts?text=%C3%B1", token, ""); got.status != http.StatusOK {
		t.Errorf("a letter of another alphabet: got %s", got.said())
	}
}

func TestTheLogRedactsLinksThatGiveAccess(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	h := logRequests(log, http.NotFoundHandler())
	for _, path := range []string{"/shared/s3cret", "/shared/s3cret/0", "/downloads/s3cret", "/hooks/one/task/s3cret"} {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
	}
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/answer/task", nil))
	if text := out.String(); strings.Contains(text, "s3cret") || !strings.Contains(text, "path=/answer/task") || !strings.Contains(text, "path=/shared/…") {
		t.Errorf("got %s", text)
	}
}
