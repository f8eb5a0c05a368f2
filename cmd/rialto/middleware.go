package main

import (
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"
)

// bodyTime is how long a client may take to send a request's body.
const bodyTime = 30 * time.Second

// recovered turns a panic into a 500 and a log entry. A handler that wants its
// connection cut says so with http.ErrAbortHandler.
func recovered(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch v := recover(); v {
			case nil:
			case http.ErrAbortHandler:
				panic(v)
			default:
				log.Error("panic", "path", r.URL.Path, "value", v, "stack", string(debug.Stack()))
				http.Error(w, "internal error", http.StatusInternalServerError)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// bounded gives the body of each request a deadline of its own. The server's
// ReadTimeout cannot: it also ends the long answers that follow.
func bounded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			c := http.NewResponseController(w)
			if c.SetReadDeadline(time.Now().Add(bodyTime)) == nil {
				r.Body = &deadlineBody{ReadCloser: r.Body, done: func() { c.SetReadDeadline(time.Time{}) }}
			}
		}
		next.ServeHTTP(w, r)
	})
}

// deadlineBody lifts the read deadline once the body has been read. It stays on
// one that has not been: the server reads what is left of it before it answers.
type deadlineBody struct {
	io.ReadCloser
	done func()
}

func (b *deadlineBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.done()
	}
	return n, err
}

// logged writes a line per request: never the query, the headers or the body,
// which carry codes and tokens.
func logged(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		rec := &statusRecorder{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(rec, r)
		log.Debug("request", "method", r.Method, "path", r.URL.Path, "status", rec.status, "took", time.Since(start))
	})
}

type statusRecorder struct {
	http.ResponseWriter
	status int
}

func (r *statusRecorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach flushing and deadlines.
func (r *statusRecorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
