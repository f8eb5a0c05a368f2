package dberr

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestAnOutageIsLoggedOnceAMinute logs as 500 requests do within a minute.
func TestAnOutageIsLoggedOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		log := slog.New(Log(slog.NewTextHandler(&out, nil)))
		away := fmt.Errorf("reading a task: %w", &Error{Cause: errors.New("connection refused")})
		for range 500 {
			log.Error("request failed", "err", away)
			time.Sleep(100 * time.Millisecond)
		}
		log.With("door", "mcp").Error("request failed", "err", away)
		log.Error("something else", "err", errors.New("odd"))
		if got := strings.Count(out.String(), "connection refused"); got != 1 {
			t.Errorf("got %d lines in 50 s, want 1", got)
		}
		if !strings.Contains(out.String(), "something else") {
			t.Error("another error was left out")
		}
		time.Sleep(10 * time.Second)
		log.WithGroup("g").Error("request failed", "err", away)
		if !strings.Contains(out.String(), "left_out=500") {
			t.Errorf("after a minute: got %s, want another line with how many were left out", out.String())
		}
	})
}
