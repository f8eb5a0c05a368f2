package server

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"rialto/cmd/rialto/internal/config"
	"rialto/internal/dberr"
	"rialto/store"
)

const waitLogInterval = 5 * time.Second // between two log lines

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

// startRetry is the time between two attempts to open a database that is away.
const startRetry = time.Second

// openStore opens the database. While PostgreSQL is away, it tries again for startup_timeout.
func openStore(ctx context.Context, cfg *config.Config, log *slog.Logger) (*store.DB, error) {
	giveUp := time.Now().Add(cfg.Serving.StartupTimeout)
	for {
		db, err := cfg.OpenStore(ctx)
		_, away := dberr.As(err)
		if !away || cfg.DatabaseFile() != "" || time.Now().After(giveUp) {
			return db, err
		}
		log.WarnContext(ctx, "the database is away: trying again", "until", giveUp, "err", err)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(startRetry):
		}
	}
}

// askDatabase calls do with startup_timeout as its timeout, and logs while it waits.
func askDatabase(
	ctx context.Context,
	cfg *config.Config,
	log *slog.Logger,
	what string,
	do func(context.Context) error,
) error {
	ctx, cancel := context.WithTimeout(ctx, cfg.Serving.StartupTimeout)
	defer cancel()
	return logWhileWaiting(log, what, func() error { return do(ctx) })
}
