package server

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"rialto/a2a/a2apush"
	"rialto/bridge/documents"
	"rialto/internal/config"
	"rialto/internal/sse"
	"rialto/internal/telemetry"
	"rialto/static"

	"github.com/gorilla/mux"
	"github.com/klauspost/compress/gzhttp"
)

// recoverPanics turns a panic into a 500 and a log entry. http.ErrAbortHandler passes.
func recoverPanics(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch v := recover(); v {
			case nil:
			case http.ErrAbortHandler:
				panic(v)
			default:
				log.ErrorContext(r.Context(), "panic", "path", redactPath(r.URL.Path), "value", v, "stack", string(debug.Stack()))
				http.Error(w, "internal error", http.StatusInternalServerError)
			}
		}()
		next.ServeHTTP(w, r)
	})
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

// observeRequests gives each request an ID for the log, traces and measures it, and logs it at
// debug level: without its query, headers and body, which hold codes and tokens. route is that of
// requests for which noteRoute notes none.
func observeRequests(cfg *config.Config, log *slog.Logger, t *telemetry.Telemetry, route string, next http.Handler) http.Handler {
	proxies := trustedProxies(cfg)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, ended := telemetry.WithRequest(r.Context(), &telemetry.Request{ID: requestID(r), Route: route}), func(telemetry.Response) {}
		logs := log.Enabled(ctx, slog.LevelDebug)
		if !logs && t == nil {
			next.ServeHTTP(w, r.WithContext(ctx))
			return
		}
		r = r.WithContext(ctx)
		if t != nil {
			ctx, ended = t.HTTP(r, schemeOf(r, cfg.TLS.Scheme(), proxies))
		}
		start := time.Now()
		rec := &statusRecorder{ResponseWriter: w, status: http.StatusOK}
		defer func() { // http.ErrAbortHandler may pass
			ended(telemetry.Response{Status: rec.status, Stream: rec.Header().Get("Content-Type") == sse.ContentType})
			if logs {
				log.DebugContext(ctx, "request", "method", r.Method, "path", redactPath(r.URL.Path), "status", rec.status, "took", time.Since(start))
			}
		}()
		next.ServeHTTP(rec, r.WithContext(ctx))
	})
}

// schemeOf returns the scheme that the client used: that of the listener, unless a trusted proxy
// says another.
func schemeOf(r *http.Request, own string, proxies []netip.Prefix) string {
	told := r.Header.Get("X-Forwarded-Proto")
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || told != "http" && told != "https" ||
		!slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(peer.Addr().Unmap()) }) {
		return own
	}
	return told
}

// noteRoute notes which route matched, for observeRequests.
func noteRoute(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if of := telemetry.RequestOf(r.Context()); of != nil {
			of.Route, _ = mux.CurrentRoute(r).GetPathTemplate()
		}
		next.ServeHTTP(w, r)
	})
}

// requestID returns the ID that a proxy gave the request, or a new one.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); id != "" && len(id) <= 64 && isPrintable(id) {
		return id
	}
	return strconv.FormatUint(rand.Uint64(), 36)
}

func isPrintable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
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

// compress compresses what browsers read: pages, style sheets, scripts and the description of the
// API. It leaves alone what the protocols answer, streams, and files.
//
// A page that has a secret and something that an attacker chose tells the secret by its size when
// it is compressed (the BREACH attack). So pages with one-time secrets in their forms (/authorize,
// /signin, /connect/) and all answers to forms, which may have a new secret, are not compressed.
// Neither is a page that another site opened, as the browser says (Sec-Fetch-Site).
func compress(next http.Handler) (http.Handler, error) {
	wrap, err := gzhttp.NewWrapper(gzhttp.ContentTypes([]string{"text/html", "text/css", "text/javascript", "image/svg+xml"}))
	if err != nil {
		return nil, err
	}
	wrapJSON, err := gzhttp.NewWrapper(gzhttp.ContentTypes([]string{"application/json"}))
	if err != nil {
		return nil, err
	}
	compressed, compressedJSON := wrap(next), wrapJSON(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/openapi.json":
			compressedJSON.ServeHTTP(w, r)
		case r.Method == http.MethodGet && (isPublic(r.URL.Path) || isPage(r.URL.Path) && openedHere(r)):
			compressed.ServeHTTP(w, r)
		default:
			next.ServeHTTP(w, r)
		}
	}), nil
}

// isPublic reports whether everybody gets the same at a path.
func isPublic(path string) bool { return path == "/docs" || strings.HasPrefix(path, static.Prefix) }

// isPage reports whether a path is that of a page without one-time secrets.
func isPage(path string) bool {
	if strings.HasSuffix(path, "/events") || strings.HasSuffix(path, "/export") {
		return false
	}
	for _, prefix := range []string{"/account", "/admin", documents.DocumentPath, documents.TaskPath} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return path == "/"
}

// openedHere reports whether the person opened a page, or followed a link of ours.
func openedHere(r *http.Request) bool {
	from := r.Header.Get("Sec-Fetch-Site")
	return from == "same-origin" || from == "none"
}
