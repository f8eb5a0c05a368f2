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

func appendLine(path string, line []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(line)
	return errors.Join(err, f.Close())
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
