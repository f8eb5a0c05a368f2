package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"syscall"
	"time"

	"rialto/internal/slowconn"
)

// shutdownTimes limits how long shutdown waits for requests. Tasks need no time: their
// followers have saved what they know and continue at the next start.
type shutdownTimes struct {
	cancelAfter time.Duration // after that, the contexts of open streams are canceled
	closeAfter  time.Duration // after that, connections are closed
}

// defaultShutdown is short, because the user waits for the program to stop.
var defaultShutdown = shutdownTimes{cancelAfter: time.Second, closeAfter: 3 * time.Second}

// Listen opens a TCP listener. Its error says what to do.
func Listen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf(
			"%s is in use by another program: choose another address with --listen HOST:PORT", addr,
		)
	}
	if err != nil {
		return nil, fmt.Errorf("listening on %s (--listen): %w", addr, err)
	}

	return l, nil
}

// newHTTPServer returns a server that limits how long it waits for requests. It does
// not limit responses, because event streams stay open: see package slowconn.
func newHTTPServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// serveUntil serves on l until ctx ends. Then it calls ending, accepts no more
// connections and waits for open requests: after wait.cancelAfter it cancels their
// contexts, and after wait.closeAfter it closes their connections.
func serveUntil(
	ctx context.Context,
	l net.Listener,
	srv *http.Server,
	wait shutdownTimes,
	ending func(),
) error {
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	srv.BaseContext = func(net.Listener) context.Context { return base }
	failed := make(chan error, 1)
	serve := srv.Serve
	if srv.TLSConfig != nil {
		serve = func(l net.Listener) error { return srv.ServeTLS(l, "", "") }
	}

	go func() { failed <- serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}

	ending()
	last := time.AfterFunc(wait.cancelAfter, cancel)
	defer last.Stop()
	draining, done := context.WithTimeout(context.WithoutCancel(ctx), wait.closeAfter)
	defer done()
	err := srv.Shutdown(draining)
	if errors.Is(err, context.DeadlineExceeded) {
		return srv.Close()
	}

	return err
}

// UnlessStopped returns why the start failed, or nil if the user stopped the program.
func UnlessStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// heapBallast enlarges the heap, in bytes, so that garbage collection does not run many
// times a second on a small heap. The pages are never written, so they take no memory.
// Unlike a larger GOGC, it does not let a large heap grow further.
const heapBallast = 4 << 20

// Serve serves HTTP on l until ctx ends. Calls that wait for an agent get an answer
// before it returns.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h, err := s.handler()
	if err != nil {
		return err
	}
	defer runtime.KeepAlive(make([]byte, heapBallast))
	srv := newHTTPServer(h, s.log)
	srv.TLSConfig = s.certificate.config("h2", "http/1.1")
	return serveUntil(ctx, slowconn.NewListener(l), srv, s.shutdown, func() {
		s.log.InfoContext(ctx, "rialto is stopping")
		s.bridge.Runner.EndWaits()
	})
}
