package telemetry

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"rialto/internal/jsonrpc"
	"rialto/mcp"
)

// ObserveRequest implements mcp.Observer: a SERVER span named by the method and the tool, and its duration.
// The parent is the trace in params._meta; the HTTP request is a link then.
func (t *Telemetry) ObserveRequest(
	ctx context.Context, op mcp.Operation,
) (context.Context, func(mcp.Outcome)) {
	method := cmp.Or(op.Method, other)
	labels := []attribute.KeyValue{
		mcpMethod.String(method),
		mcpRevision.String(known(op.Revision)),
		networkTransport.String("tcp"),
		networkProtocol.String("http"),
		networkVersion.String(op.HTTP),
	}
	name := method
	if op.Tool != "" {
		name += " " + op.Tool
		labels = append(labels, toolName.String(op.Tool), operationName.String("execute_tool"))
	}
	if op.Prompt != "" {
		name += " " + op.Prompt
		labels = append(labels, promptName.String(op.Prompt))
	}
	if op.Hybrid {
		t.count(hybrids)
	}

	ctx, span := t.mcpSpan(ctx, name, op, labels)
	begun := time.Now()
	return ctx, func(o mcp.Outcome) {
		if failed := mcpError(o); failed != "" {
			labels = append(labels, errorType.String(failed))
			if o.Code != 0 {
				labels = append(labels, rpcStatus.String(failed))
			}
			span.SetAttributes(labels[len(labels)-2:]...)
		}
		if serverFault(o.Code) {
			span.SetStatus(codes.Error, o.Message)
		}
		span.End()
		t.record(ctx, mcpDuration, time.Since(begun), labels...)
	}
}

// ObserveSession implements mcp.SessionObserver.
func (t *Telemetry) ObserveSession(revision string, lasted time.Duration) {
	t.record(
		context.Background(),
		mcpSessions,
		lasted,
		mcpRevision.String(known(revision)),
		networkTransport.String("tcp"),
		networkProtocol.String("http"),
	)
}

// known returns a revision of MCP as a label.
func known(revision string) string {
	if slices.Contains(mcp.Revisions(), revision) {
		return revision
	}
	return other
}

func (t *Telemetry) mcpSpan(
	ctx context.Context,
	name string,
	op mcp.Operation,
	labels []attribute.KeyValue,
) (context.Context, trace.Span) {
	if t.tracer == nil {
		return ctx, noSpan
	}

	options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer)}
	outer := trace.SpanContextFromContext(ctx)
	told := t.parent(op.TraceParent, op.TraceState)
	if told.IsValid() {
		ctx = trace.ContextWithRemoteSpanContext(ctx, told)
		if outer.IsValid() {
			options = append(options, trace.WithLinks(trace.Link{SpanContext: outer}))
		}
	}

	ctx, span := t.tracer.Start(ctx, name, options...)
	if span.IsRecording() {
		span.SetAttributes(append(labels, rpcID.String(strings.Trim(op.ID, `"`)))...)
		if op.URI != "" {
			span.SetAttributes(resourceURI.String(op.URI))
		}
		if op.Session != "" {
			span.SetAttributes(mcpSession.String(op.Session))
		}
	}

	return ctx, span
}

// parent reads a traceparent; what is not one gives an invalid context.
func (t *Telemetry) parent(traceparent, tracestate string) trace.SpanContext {
	if traceparent == "" {
		return trace.SpanContext{}
	}
	ctx := propagation.TraceContext{}.Extract(
		context.Background(),
		propagation.MapCarrier{"traceparent": traceparent, "tracestate": tracestate},
	)
	return trace.SpanContextFromContext(ctx)
}

// mcpError is the error.type of an outcome, "" for none.
func mcpError(o mcp.Outcome) string {
	switch {
	case o.Code != 0:
		return strconv.Itoa(o.Code)
	case o.ToolError:
		return toolError
	}
	return ""
}

// serverFault tells an error of the server from one of the caller.
func serverFault(code int) bool {
	return code == jsonrpc.CodeInternal || code <= -32000 && code >= -32099 && code != -32002
}
