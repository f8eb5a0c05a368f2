package telemetry

import (
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
	Route  string // the template of the path; "" if no route matched
	Status int
	Stream bool // an event stream, which lasts as long as its client wants
}

// HTTP begins the SERVER span of a request that was sent with a scheme, with the trace of its headers as parent, and
// returns a function for its end.
// Nothing of the query is recorded: it can hold codes and states.
func (t *Telemetry) HTTP(r *http.Request, scheme string) (context.Context, func(Response)) {
	ctx, span := r.Context(), trace.SpanFromContext(context.Background())
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
		labels := []attribute.KeyValue{httpMethod.String(method), httpStatus.Int(a.Status), urlScheme.String(scheme)}
		if a.Route != "" {
			labels = append(labels, httpRoute.String(a.Route))
		}
		if span.IsRecording() {
			span.SetName(strings.TrimSpace(method + " " + a.Route))
			span.SetAttributes(labels...)
		}
		if a.Status >= 500 {
			span.SetStatus(codes.Error, "")
		}
		span.End()
		if t.meters == nil {
			return
		}
		if a.Status == http.StatusTooManyRequests {
			t.meters.limited.Add(ctx, 1, labelled(door.String(doorOf(a.Route))))
		}
		if !a.Stream {
			t.meters.http.Record(ctx, time.Since(begun).Seconds(), labelled(labels...))
		}
	}
}

var httpMethods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}

// doorOf names the part of the server that a route belongs to.
func doorOf(route string) string {
	for _, d := range []struct{ prefix, door string }{
		{"/mcp", "mcp"}, {"/sse", "mcp"}, {"/api/", "rest"}, {"/a2a", "a2a"}, {"/message:", "a2a"}, {"/tasks", "a2a"}, {"/v1/", "a2a"},
		{"/account", "pages"}, {"/admin", "pages"}, {"/authorize", "login"}, {"/token", "login"}, {"/register", "login"}, {"/par", "login"},
	} {
		if strings.HasPrefix(route, d.prefix) {
			return d.door
		}
	}
	return "other"
}
