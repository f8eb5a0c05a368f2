package telemetry

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
)

// Agent returns the observer of the calls to the agent of a name.
func (t *Telemetry) Agent(name string) a2aclient.Observer { return agentObserver{t, name} }

type agentObserver struct {
	t    *Telemetry
	name string
}

// ObserveCall implements a2aclient.Observer: a CLIENT span for each call, which for a stream ends
// with the stream, and its duration.
func (o agentObserver) ObserveCall(
	ctx context.Context, c a2aclient.Call,
) (context.Context, func(a2a.Event, error)) {
	ctx, span := o.t.agentSpan(ctx, o.name, c)
	begun := time.Now()
	return ctx, func(last a2a.Event, err error) {
		labels := []attribute.KeyValue{agent.String(o.name), a2aMethod.String(c.Method)}
		if id, of, s := about(last); id != "" && span.IsRecording() {
			span.SetAttributes(a2aTask.String(string(id)), contextID.String(of))
			if s != "" {
				span.SetAttributes(a2aState.String(stateName(s)))
			}
		}
		if err != nil {
			failed := errorType.String(a2aError(err))
			labels = append(labels, failed)
			span.SetAttributes(failed)
			span.SetStatus(codes.Error, "")
		}
		span.End()
		o.t.record(ctx, agentCalls, time.Since(begun), labels...)
	}
}

// Propagate implements a2aclient.Observer: it adds traceparent and tracestate. Baggage does not cross.
func (o agentObserver) Propagate(ctx context.Context, h http.Header) {
	o.t.propagator.Inject(ctx, propagation.HeaderCarrier(h))
}

// ObserveCall implements a2aserver.Observer: a SERVER span named by the method.
func (t *Telemetry) ObserveCall(
	ctx context.Context, method string, g a2a.Generation,
) (context.Context, func(error)) {
	if t.tracer == nil {
		return ctx, func(error) {}
	}

	ctx, span := t.tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer))
	span.SetAttributes(a2aMethod.String(method), a2aVersion.String(string(g)))
	return ctx, func(err error) {
		if err != nil {
			span.SetAttributes(errorType.String(a2aError(err)))
		}
		if e, ok := errors.AsType[*a2a.Error](err); err != nil && (!ok || e.Code == a2a.Internal) {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

func (t *Telemetry) agentSpan(
	ctx context.Context, name string, c a2aclient.Call,
) (context.Context, trace.Span) {
	if t.tracer == nil {
		return ctx, noSpan
	}

	ctx, span := t.tracer.Start(ctx, c.Method, trace.WithSpanKind(trace.SpanKindClient))
	if !span.IsRecording() {
		return ctx, span
	}

	labels := []attribute.KeyValue{
		a2aMethod.String(c.Method),
		a2aVersion.String(string(c.Generation)),
		a2aBinding.String(string(c.Binding)),
		agentID.String(name),
	}
	if c.Card != nil {
		labels = append(labels, agentName.String(c.Card.Name), cardVersion.String(c.Card.Version))
	}
	if c.URL != nil {
		labels = append(labels, serverHost.String(c.URL.Hostname()))
		if port, err := strconv.Atoi(c.URL.Port()); err == nil {
			labels = append(labels, serverPort.Int(port))
		}
	}

	span.SetAttributes(labels...)
	return ctx, span
}

// about returns the task that an event is about, "" for none.
func about(e a2a.Event) (id a2a.TaskID, context string, s a2a.State) {
	switch e := e.(type) {
	case *a2a.Task:
		return e.ID, e.ContextID, e.Status.State
	case *a2a.StatusUpdate:
		return e.TaskID, e.ContextID, e.Status.State
	case *a2a.ArtifactUpdate:
		return e.TaskID, e.ContextID, ""
	}
	return "", "", ""
}

// a2aError is the error.type of a call that failed.
func a2aError(err error) string {
	switch e, ok := errors.AsType[*a2a.Error](err); {
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case ok && slices.Contains(a2aCodes, e.Code): // agents can send others
		return string(e.Code)
	}
	return other
}

var a2aCodes = []a2a.Code{
	a2a.TaskNotFound,
	a2a.TaskNotCancelable,
	a2a.PushNotSupported,
	a2a.UnsupportedOperation,
	a2a.ContentTypeNotSupported,
	a2a.InvalidAgentResponse,
	a2a.ExtendedCardMissing,
	a2a.ExtensionRequired,
	a2a.VersionNotSupported,
	a2a.InvalidRequest,
	a2a.MethodNotFound,
	a2a.InvalidParams,
	a2a.Internal,
	a2a.RateLimited,
	a2a.Unavailable,
	a2a.ParseFailed,
	a2a.Unauthenticated,
	a2a.Forbidden,
}

// stateName is the name of a state in A2A 1.0: TASK_STATE_INPUT_REQUIRED.
func stateName(s a2a.State) string {
	return "TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(string(s), "-", "_"))
}
