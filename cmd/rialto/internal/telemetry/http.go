package telemetry

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Response is how a request was answered.
type Response struct {
	Status int
	Stream bool // an event stream, which lasts as long as its client wants
}

// HTTP begins the SERVER span of a request that was sent with a scheme, with the trace of its headers
// as parent, and returns a function for its end. The context has a Request. Nothing of the query is
// recorded: it can hold codes and states.
func (t *Telemetry) HTTP(
	ctx context.Context, r *http.Request, scheme string,
) (context.Context, func(Response)) {
	span := noSpan
	method := r.Method
	if !slices.Contains(httpMethods, method) {
		method = other
	}
	if t.tracer != nil {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header))
		ctx, span = t.tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer))
	}

	begun := time.Now()
	return ctx, func(a Response) {
		labels := []attribute.KeyValue{
			httpMethod.String(method),
			httpStatus.Int(a.Status),
			urlScheme.String(scheme),
		}
		route := RequestOf(ctx).Route
		if route != "" {
			labels = append(labels, httpRoute.String(route))
		}
		if span.IsRecording() {
			span.SetName(strings.TrimSpace(method + " " + route))
			span.SetAttributes(labels...)
		}
		if a.Status >= 500 {
			span.SetStatus(codes.Error, "")
		}
		span.End()
		if a.Status == http.StatusTooManyRequests {
			t.Limited(ctx)
		}
		if !a.Stream {
			t.record(ctx, httpDuration, time.Since(begun), labels...)
		}
	}
}

var httpMethods = []string{
	http.MethodGet,
	http.MethodHead,
	http.MethodPost,
	http.MethodPut,
	http.MethodPatch,
	http.MethodDelete,
	http.MethodOptions,
}

// Limited counts the request of a context as refused because of a limit, once.
func (t *Telemetry) Limited(ctx context.Context) {
	r := RequestOf(ctx)
	if r != nil && !r.limited.Swap(true) {
		t.count(rateLimited, door.String(cmp.Or(r.Door, "other")))
	}
}
