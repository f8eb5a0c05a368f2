package telemetry

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// Database observes the statements to a database of a system.
type Database struct {
	t      *Telemetry
	system attribute.KeyValue
}

// Database returns the observer of a database.
func (t *Telemetry) Database(system string) Database { return Database{t, dbSystem.String(system)} }

// ObserveStatement implements sqldb.Observer: a CLIENT span for a statement or a transaction inside
// another span, and its duration. Statements have no values in them.
func (d Database) ObserveStatement(ctx context.Context, statement string) func(error) {
	t := d.t
	operation := dbOperation.String(operationOf(statement))
	span := noSpan
	if t.tracer != nil && trace.SpanFromContext(ctx).IsRecording() {
		text := dbQuery.String(strings.Join(strings.Fields(statement), " "))
		_, span = t.tracer.Start(
			ctx,
			operation.Value.AsString(),
			trace.WithSpanKind(trace.SpanKindClient),
			trace.WithAttributes(d.system, operation, text),
		)
	}

	begun := time.Now()
	return func(err error) {
		labels := []attribute.KeyValue{d.system, operation}
		if err != nil {
			labels = append(labels, errorType.String(other))
			span.SetAttributes(errorType.String(other))
			span.SetStatus(codes.Error, "")
		}
		span.End()
		t.record(ctx, dbDuration, time.Since(begun), labels...)
	}
}

// operationOf returns the first word of a statement, in upper case.
func operationOf(statement string) string {
	word := strings.TrimSpace(statement)
	if end := strings.IndexFunc(word, unicode.IsSpace); end >= 0 {
		word = word[:end]
	}

	word = strings.ToUpper(word)
	if slices.Contains(
		[]string{"SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "TRANSACTION"}, word,
	) {
		return word
	}

	return other
}
