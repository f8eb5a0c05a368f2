package server

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"rialto/a2a/a2apush"
	"rialto/bridge/documents"
)

// bodyTimeout limits how long a client may take to send a body.
const bodyTimeout = 30 * time.Second

// recoverPanics turns a panic into a 500 and a log entry. http.ErrAbortHandler passes.
func recoverPanics(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch v := recover(); v {
			case nil:
			case http.ErrAbortHandler:
				panic(v)
			default:
				log.Error("panic", "path", redactPath(r.URL.Path), "value", v, "stack", string(debug.Stack()))
				http.Error(w, "internal error", http.StatusInternalServerError)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// limitBodyTime gives each request body a read deadline. ReadTimeout of the server
// would also end long responses.
func limitBodyTime(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			if http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout)) == nil {
				r.Body = &deadlineBody{r.Body, w}
			}
		}
		next.ServeHTTP(w, r)
	})
}

// deadlineBody removes the read deadline at the end of the body. An unread body keeps
// it, because the server reads the rest before it responds.
type deadlineBody struct {
	io.ReadCloser
	w http.ResponseWriter
}

func (b *deadlineBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		_ = http.NewResponseController(b.w).SetReadDeadline(time.Time{}) // setting it has worked before
	}
	return n, err
}

// rejectInvalidText rejects addresses with NUL or invalid UTF-8. PostgreSQL accepts neither.
func rejectInvalidText(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isText(r.URL.Path) && (r.URL.RawQuery == "" || areTexts(r.URL.Query())) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintln(w, `{"error":"invalid_request","error_description":"The address holds a NUL, or bytes that are not UTF-8."}`)
	})
}

func isText(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }

func areTexts(q url.Values) bool {
	for name, values := range q {
		if !isText(name) || slices.ContainsFunc(values, func(v string) bool { return !isText(v) }) {
			return false
		}
	}
	return true
}

// redactPath returns a path without the part that is a capability.
func redactPath(path string) string {
	for _, prefix := range []string{documents.SharedPath, documents.DownloadPath, a2apush.InboxPath} {
		if rest, ok := strings.CutPrefix(path, prefix); ok && rest != "" {
			return prefix + "…"
		}
	}
	return path
}

// logRequests logs each request at debug level, without its query, headers and body,
// which hold codes and tokens.
func logRequests(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !log.Enabled(r.Context(), slog.LevelDebug) {
			next.ServeHTTP(w, r)
			return
		}
		start := time.Now()
		rec := &statusRecorder{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(rec, r)
		log.Debug("request", "method", r.Method, "path", redactPath(r.URL.Path), "status", rec.status, "took", time.Since(start))
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
