package server

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	waitLogInterval = 5 * time.Second  // that something takes, the log says what it is
	databaseTimeout = 30 * time.Second // each thing that a start asks the database
)

// logWhileWaiting does what may take long, and as long as it does says so.
func logWhileWaiting(log *slog.Logger, what string, do func() error) error {
	var saying sync.WaitGroup
	done, begun := make(chan struct{}), time.Now()
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

// logWaiting does so with what cannot fail.
func (s *Server) logWaiting(what string, do func()) {
	_ = logWhileWaiting(s.log, what, func() error { do(); return nil })
}

// askDatabase does what a start asks the database, within startFor.
func askDatabase(ctx context.Context, log *slog.Logger, what string, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, databaseTimeout)
	defer cancel()
	return logWhileWaiting(log, what, func() error { return do(ctx) })
}
