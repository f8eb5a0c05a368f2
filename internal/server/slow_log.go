package server

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	sayEvery = 5 * time.Second  // that something takes, the log says what it is
	startFor = 30 * time.Second // each thing that a start asks the database
)

// awaited does what may take long, and as long as it does says so.
func awaited(log *slog.Logger, what string, do func() error) error {
	var saying sync.WaitGroup
	done, begun := make(chan struct{}), time.Now()
	saying.Go(func() {
		tick := time.NewTicker(sayEvery)
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

// await does so with what cannot fail.
func (s *Server) await(what string, do func()) {
	_ = awaited(s.log, what, func() error { do(); return nil })
}

// asked does what a start asks the database, within startFor.
func asked(ctx context.Context, log *slog.Logger, what string, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, startFor)
	defer cancel()
	return awaited(log, what, func() error { return do(ctx) })
}
