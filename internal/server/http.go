package server

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

// shutdownTimes is how long a stopping server waits for requests. Tasks do not need it:
// their followers write what they know and go on at the next start.
type shutdownTimes struct {
	cancelAfter time.Duration // for answers; then streams are told to end
	closeAfter  time.Duration // for all; then connections are cut
}

// defaultShutdown is the parting of a program whose user waits for it to stop.
var defaultShutdown = shutdownTimes{cancelAfter: time.Second, closeAfter: 3 * time.Second}

// Listen opens the address or says in one line what to do about it.
func Listen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is in use by another program: choose another address with --listen HOST:PORT", addr)
	}
	if err != nil {
		return nil, fmt.Errorf("listening on %s (--listen): %w", addr, err)
	}
	return l, nil
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

// serveUntil answers on l until ctx ends. Then it calls ending, takes no more
// connections, and waits for the requests that run to be answered. What still
// runs then, as streams do that have no end of their own, finds that its context
// ends, and at last is cut.
func serveUntil(ctx context.Context, l net.Listener, srv *http.Server, wait shutdownTimes, ending func()) error {
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

// UnlessStopped passes on why a start failed. That the user stopped it is no
// failure, and what it broke off need not be told.
func UnlessStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
