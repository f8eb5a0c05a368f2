package server

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rialto/cmd/rialto/internal/config"
)

func TestSlowStepsAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		log := slog.New(slog.NewTextHandler(&said, nil))
		for seconds, times := range map[time.Duration]int{1: 0, 12: 2} {
			said.Reset()
			_ = logWhileWaiting(log, "the moon", func() error { time.Sleep(seconds * time.Second); return nil })
			if got := strings.Count(said.String(), `msg="still waiting" for="the moon"`); got != times {
				t.Errorf("in %d seconds it was said %d times, want %d", seconds, got, times)
			}
		}
		begun := time.Now()
		cfg := config.Defaults()
		err := askDatabase(t.Context(), &cfg, log, "the moon", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		if took := time.Since(begun); took != 30*time.Second || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a query without an answer ended after %s with %v", took, err)
		}
	})
}
