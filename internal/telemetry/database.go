package telemetry

import (
	"context"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Database returns the Observe of a database: a CLIENT span for a statement or a transaction inside another
// span, and its duration. Statements have no values in them.
func (t *Telemetry) Database(system string) func(ctx context.Context, statement string) func(error) {
	if t == nil {
		return nil
	}
	of := dbSystem.String(system)
	return func(ctx context.Context, statement string) func(error) {
		operation := operationOf(statement)
		span := trace.SpanFromContext(context.Background())
		if t.tracer != nil && trace.SpanFromContext(ctx).IsRecording() {
			_, span = t.tracer.Start(ctx, operation, trace.WithSpanKind(trace.SpanKindClient),
				trace.WithAttributes(of, dbOperation.String(operation), dbQuery.String(strings.Join(strings.Fields(statement), " "))))
		}
		begun := time.Now()
		return func(err error) {
			labels := []attribute.KeyValue{of, dbOperation.String(operation)}
			if err != nil {
				labels = append(labels, errorType.String(other))
				span.SetAttributes(errorType.String(other))
				span.SetStatus(codes.Error, "")
			}
			span.End()
			if t.meters != nil {
				t.meters.db.Record(ctx, time.Since(begun).Seconds(), labelled(labels...))
			}
		}
	}
}

// operationOf returns the first word of a statement, in upper case.
func operationOf(statement string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(statement), " ")
	if word = strings.ToUpper(strings.TrimSpace(word)); slices.Contains([]string{"SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "TRANSACTION"}, word) {
		return word
	}
	return other
}
