package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

// Trace implements runner.Observer.
func (t *Telemetry) Trace(ctx context.Context) string {
	if t.tracer == nil {
		return ""
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	return carrier["traceparent"]
}

// Follow implements runner.Observer. Calls for a message belong to the trace that sent it. A task that is
// resumed begins a trace, with a link to that one: it may be of another process, and hours ago.
func (t *Telemetry) Follow(
	ctx context.Context, e *ledger.Record, resumed bool,
) (context.Context, func()) {
	t.following.Add(1)
	ended := func() { t.following.Add(-1) }
	sent := t.parent(e.Trace, "")
	if t.tracer == nil {
		return ctx, ended
	}
	if !resumed {
		return trace.ContextWithSpanContext(ctx, sent), ended
	}
	options := []trace.SpanStartOption{
		trace.WithNewRoot(),
		trace.WithAttributes(agentID.String(e.Agent)),
	}
	if sent.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: sent}))
	}

	ctx, span := t.tracer.Start(ctx, "resume task", options...)
	return ctx, func() {
		span.End()
		ended()
	}
}

// TakenOver implements runner.Observer.
func (t *Telemetry) TakenOver() {
	t.count(takeovers)
}

// FirstEvent implements runner.Observer.
func (t *Telemetry) FirstEvent(name string, after time.Duration) {
	t.record(context.Background(), firstEvent, after, agent.String(name))
}

// Ended implements runner.Observer.
func (t *Telemetry) Ended(name string, s a2a.State, after time.Duration) {
	t.record(context.Background(), taskDuration, after, agent.String(name), state.String(string(s)))
}
