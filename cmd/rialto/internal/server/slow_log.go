package server

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	waitLogInterval = 5 * time.Second  // between two log lines
	databaseTimeout = 30 * time.Second // of each database query at start
)

// logWhileWaiting calls do, and logs every waitLogInterval that it has not returned.
func logWhileWaiting(log *slog.Logger, what string, do func() error) error {
	var saying sync.WaitGroup
	done := make(chan struct{})
	begun := time.Now()
	saying.Go(func() {
		tick := time.NewTicker(waitLogInterval)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				log.Warn("still waiting", "for", what, "since", begun)
			}
		}
	})
	defer saying.Wait()
	defer close(done)
	return do()
}

// logWaiting is logWhileWaiting for what cannot fail.
func (s *Server) logWaiting(what string, do func()) {
	_ = logWhileWaiting(s.log, what, func() error {
		do()
		return nil
	})
}

// askDatabase calls do with a timeout, and logs while it waits.
func askDatabase(
	ctx context.Context,
	log *slog.Logger,
	what string,
	do func(context.Context) error,
) error {
	ctx, cancel := context.WithTimeout(ctx, databaseTimeout)
	defer cancel()
	return logWhileWaiting(log, what, func() error { return do(ctx) })
}
