package telemetry

import (
	"context"
	"log/slog"
	"sync/atomic"

	"go.opentelemetry.io/contrib/bridges/otelslog"
	"go.opentelemetry.io/otel/trace"
)

// Request is a request that is being answered.
type Request struct {
	ID    string // for the log
	Route string // the template of the path; "" if no route matched
	Door  string // the part of the server that the route belongs to; "" is none with a name

	limited atomic.Bool // see Telemetry.Limited
}

type requestKey struct{}

// WithRequest returns the context of a request: its log lines have the ID.
func WithRequest(ctx context.Context, r *Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// RequestOf returns the request of a context; nil without one.
func RequestOf(ctx context.Context) *Request {
	r, _ := ctx.Value(requestKey{}).(*Request)
	return r
}

// Logs returns a handler that adds the IDs of the request, the trace and the span to the lines of h, and
// exports them too if the environment says so. A nil *Telemetry adds the ID of the request.
func (t *Telemetry) Logs(h slog.Handler) slog.Handler {
	if t != nil && t.logs != nil {
		h = slog.NewMultiHandler(
			h, otelslog.NewHandler("rialto", otelslog.WithLoggerProvider(t.logs)),
		)
	}
	return withIDs{h}
}

// Exported returns a log whose lines are only exported; nil if the environment exports no logs.
func (t *Telemetry) Exported(name string) *slog.Logger {
	if t == nil || t.logs == nil {
		return nil
	}
	return otelslog.NewLogger(name, otelslog.WithLoggerProvider(t.logs))
}

type withIDs struct{ slog.Handler }

func (h withIDs) Handle(ctx context.Context, r slog.Record) error {
	if q := RequestOf(ctx); q != nil {
		r.AddAttrs(slog.String("request_id", q.ID))
	}
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		r.AddAttrs(
			slog.String("trace_id", span.TraceID().String()),
			slog.String("span_id", span.SpanID().String()),
		)
	}

	return h.Handler.Handle(ctx, r)
}

func (h withIDs) WithAttrs(attrs []slog.Attr) slog.Handler {
	return withIDs{h.Handler.WithAttrs(attrs)}
}

func (h withIDs) WithGroup(name string) slog.Handler { return withIDs{h.Handler.WithGroup(name)} }
