package audit

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"sync"
)

// Stream passes events on as they happen, before they are in the store.
type Stream func(context.Context, Event)

// ToFile appends events to a file, one JSON object to a line. The file is opened for each event, so that it can
// be renamed at any time; only its owner may read it.
func ToFile(path string, log *slog.Logger) Stream {
	return lines(func(line []byte) error { return appendLine(path, line) }, log)
}

// appendLine appends a line to a file. A line that a crash has cut gets its end first.
func appendLine(path string, line []byte) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if !endsWithLine(f) {
		line = append([]byte{'\n'}, line...)
	}
	_, err = f.Write(line)
	return errors.Join(err, f.Close())
}

// endsWithLine reports whether the last line of a file is whole. What cannot be read, such as a pipe,
// has no line before.
func endsWithLine(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return true
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, info.Size()-1)
	return err != nil || last[0] == '\n'
}

// ToWriter writes events, one JSON object to a line.
func ToWriter(w io.Writer, log *slog.Logger) Stream {
	return lines(func(line []byte) error {
		_, err := w.Write(line)
		return err
	}, log)
}

// lines calls write with each event, one at a time. Errors are logged: the event is in the store.
func lines(write func([]byte) error, log *slog.Logger) Stream {
	var mu sync.Mutex
	return func(ctx context.Context, e Event) {
		text, err := json.Marshal(e)
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			err = write(append(text, '\n'))
		}
		if err != nil {
			log.ErrorContext(ctx, "an audit event could not be streamed", "id", e.ID, "err", err)
		}
	}
}

// ToLogger writes events as lines of a log, such as one that is exported over OTLP.
func ToLogger(log *slog.Logger) Stream {
	return func(ctx context.Context, e Event) {
		log.InfoContext(ctx, "audit",
			"id", e.ID,
			"at", e.At,
			"kind", string(e.Kind),
			"outcome", string(e.Outcome),
			"actor_id", e.ActorID,
			"actor", e.Actor,
			"address", e.Address,
			"target", e.Target,
			"detail", e.Detail)
	}
}
