package server

import (
	"cmp"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"rialto/cmd/rialto/internal/telemetry"
	"rialto/internal/sse"
)

// outerHandler is the outermost handler of HTTP: it limits how slow the peer may be, observes the
// request, recovers from panics and rejects addresses that are not text. One writer serves it all.
type outerHandler struct {
	observer
	next http.Handler
}

// ServeHTTP implements http.Handler.
func (e *outerHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := &response{
		statusRecorder: statusRecorder{ResponseWriter: w},
		conn:           http.NewResponseController(w),
		shared:         r.ProtoMajor >= 2,
	}
	limitBodyTime(out.conn, r)
	e.serve(out, &out.statusRecorder, r, e.next)
	out.end()
}

// observer gives each request an ID for the log, traces and measures it, and logs it at debug level:
// without its query, headers and body, which hold codes and tokens.
type observer struct {
	log       *slog.Logger
	telemetry *telemetry.Telemetry // nil without it
	scheme    string               // of the listener
	proxies   []netip.Prefix       // that may say another scheme

	route, door string // of requests that no router notes
}

// newObserver returns an observer of the requests to a server.
func newObserver(s *Server) observer {
	cfg := s.cfg.Load()
	return observer{
		log:       s.log,
		telemetry: s.telemetry,
		scheme:    cfg.Serving.TLS.Scheme(),
		proxies:   trustedProxies(cfg),
	}
}

// handler returns next, observed.
func (o observer) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := &statusRecorder{ResponseWriter: w}
		o.serve(rec, rec, r, next)
	})
}

// serve passes a request on to next, and turns a panic into a 500 and a log entry, unless it is
// http.ErrAbortHandler. The recorder is a part of w.
func (o *observer) serve(
	w http.ResponseWriter,
	rec *statusRecorder,
	r *http.Request,
	next http.Handler,
) {
	ctx := telemetry.WithRequest(r.Context(), &telemetry.Request{
		ID:    requestID(r),
		Route: o.route,
		Door:  o.door,
	})
	ended := func(telemetry.Response) {}
	if o.telemetry != nil {
		ctx, ended = o.telemetry.HTTP(ctx, r, schemeOf(r, o.scheme, o.proxies))
	}

	start := time.Now()
	defer func() {
		failure := recover()
		if failure != nil && failure != http.ErrAbortHandler {
			o.log.ErrorContext(
				ctx, "panic",
				"path", redactPath(r.URL.Path),
				"value", failure,
				"stack", string(debug.Stack()),
			)
			http.Error(w, "internal error", http.StatusInternalServerError)
		}
		status := cmp.Or(rec.status, http.StatusOK)
		ended(telemetry.Response{
			Status: status,
			Stream: rec.Header().Get("Content-Type") == sse.ContentType,
		})
		if o.log.Enabled(ctx, slog.LevelDebug) {
			o.log.DebugContext(ctx, "request", "method", r.Method, "path", redactPath(r.URL.Path),
				"status", status, "took", time.Since(start))
		}
		if failure == http.ErrAbortHandler {
			panic(failure)
		}
	}()
	next.ServeHTTP(w, r.WithContext(ctx))
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

// statusRecorder records the status of an answer.
type statusRecorder struct {
	http.ResponseWriter
	status int // 0 is 200
}

// WriteHeader implements http.ResponseWriter.
func (r *statusRecorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach flushing and deadlines.
func (r *statusRecorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
