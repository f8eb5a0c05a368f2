package a2atest

import (
	"context"
	"net"
	"net/http"
	"testing"
)

// Pipe returns a client of an HTTP server with handler h. They are connected without a network,
// so that a test can have a clock of its own (testing/synctest). The server ends with the test.
func Pipe(tb testing.TB, h http.Handler) *http.Client {
	tb.Helper()
	l := &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
	web := &http.Server{Handler: h}
	go func() { _ = web.Serve(l) }() // it ends with ErrServerClosed
	transport := &http.Transport{DialContext: l.dial}
	tb.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = web.Close()
	})
	return &http.Client{Transport: transport}
}

// pipeListener accepts the connections that dial makes.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
}

func (l *pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return ours, nil
	case <-l.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	close(l.done)
	return nil
}

func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }
