package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"
)

// drain is how long a stopping server waits for requests to finish. Tasks do
// not need it: their followers write what they know and go on at next start.
const drain = 3 * time.Second

// listen opens the address or says in one line what to do about it.
func listen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is in use by another program: choose another address with --listen HOST:PORT", addr)
	}
	if err != nil {
		return nil, fmt.Errorf("listening on %s (--listen): %w", addr, err)
	}
	return l, nil
}

// run answers on l until ctx ends.
func (s *server) run(ctx context.Context, l net.Listener) error {
	h, err := s.handler()
	if err != nil {
		return err
	}
	return run(ctx, l, newHTTPServer(h, s.log))
}

// newHTTPServer returns a server whose waits are bounded. Answers are not:
// event streams last.
func newHTTPServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// run answers on l until ctx ends, then lets running requests finish; when
// their time is over, their contexts end.
func run(ctx context.Context, l net.Listener, srv *http.Server) error {
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	srv.BaseContext = func(net.Listener) context.Context { return base }
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	draining, done := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer done()
	err := srv.Shutdown(draining)
	if errors.Is(err, context.DeadlineExceeded) {
		return srv.Close()
	}
	return err
}
