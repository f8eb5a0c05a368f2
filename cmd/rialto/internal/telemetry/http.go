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
	Status int
	Stream bool // an event stream, which lasts as long as its client wants
}

// HTTP begins the SERVER span of a request that was sent with a scheme, with the trace of its headers
// as parent, and returns a function for its end. The context has a Request. Nothing of the query is
// recorded: it can hold codes and states.
func (t *Telemetry) HTTP(
	ctx context.Context, r *http.Request, scheme string,
) (context.Context, func(Response)) {
	span := trace.SpanFromContext(context.Background())
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
		t.count(rateLimited, door.String(doorOf(r.Route)))
	}
}

// doors are the parts of the server by the routes that belong to them. The first that matches counts.
var doors = []struct{ door, routes string }{
	{
		"login",
		"/mcp/oauth/ /oauth/ /authorize /token /register /par /revoke /introspect /userinfo /signin /signout",
	},
	{"mcp", "/mcp /sse"},
	{"rest", "/api/"},
	{"grpc", GRPCRoute},
	{"a2a", "/a2a /message: /tasks /v1/ /extendedAgentCard /agent/"},
	{"pages", "/account /admin /answer/ /connect/ /documents/ /downloads/ /shared/"},
}

// GRPCRoute is the route of all calls over gRPC.
const GRPCRoute = "/{service}/{method}"

// doorOf names the part of the server that a route belongs to.
func doorOf(route string) string {
	if route == "/" { // of the primary agent; the start page has no limit
		return "a2a"
	}
	for _, d := range doors {
		if slices.ContainsFunc(
			strings.Fields(d.routes),
			func(prefix string) bool { return strings.HasPrefix(route, prefix) },
		) {
			return d.door
		}
	}
	return "other"
}
