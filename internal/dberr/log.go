package dberr

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// logEvery is how often a log has records with an *Error.
const logEvery = time.Minute

// Log returns a handler that passes one record with an *Error on in a minute, with the
// number of records left out since the last. It passes all other records on. When the
// database is away, every request, follower and background job has the same to report.
func Log(next slog.Handler) slog.Handler { return &handler{next, &window{}} }

type handler struct {
	slog.Handler
	*window
}

// window counts the records that are left out.
type window struct {
	mu   sync.Mutex
	last time.Time
	left int
}

// Handle passes a record on, or counts it.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelWarn || !about(r) {
		return h.Handler.Handle(ctx, r)
	}

	left, due := h.take(r.Time)
	if !due {
		return nil
	}
	if left > 0 {
		r = r.Clone()
		r.AddAttrs(slog.Int("left_out", left))
	}

	return h.Handler.Handle(ctx, r)
}

// about reports whether a record has an *Error.
func about(r slog.Record) (is bool) {
	r.Attrs(func(a slog.Attr) bool {
		if err, ok := a.Value.Any().(error); ok {
			_, is = As(err)
		}
		return !is
	})
	return is
}

func (w *window) take(now time.Time) (left int, due bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.last.IsZero() && now.Sub(w.last) < logEvery {
		w.left++
		return 0, false
	}

	left = w.left
	w.last = now
	w.left = 0
	return left, true
}

// WithAttrs implements slog.Handler.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{h.Handler.WithAttrs(attrs), h.window}
}

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{h.Handler.WithGroup(name), h.window}
}
