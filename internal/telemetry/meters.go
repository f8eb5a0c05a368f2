package telemetry

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// meters are the instruments.
type meters struct {
	meter metric.Meter

	mcp, http, db, agents, tasks, first metric.Float64Histogram

	takeovers, cardChanges, tokens, reuse, registrations, hybrids, deliveries, limited metric.Int64Counter
}

func newMeters(m metric.Meter, program, commit string) (*meters, error) {
	all := &meters{meter: m}
	var failed error
	histogram := func(name, description string, buckets []float64) metric.Float64Histogram {
		h, err := m.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(description), metric.WithExplicitBucketBoundaries(buckets...))
		failed = errors.Join(failed, err)
		return h
	}
	counter := func(name, description string) metric.Int64Counter {
		c, err := m.Int64Counter(name, metric.WithDescription(description))
		failed = errors.Join(failed, err)
		return c
	}
	all.mcp = histogram(mcpDuration, "MCP requests.", operationBuckets)
	all.http = histogram(httpDuration, "HTTP requests, without event streams.", requestBuckets)
	all.db = histogram(dbDuration, "Statements and transactions.", databaseBuckets)
	all.agents = histogram(agentCalls, "Calls to agents.", operationBuckets)
	all.tasks = histogram(taskDuration, "From the message to the end of a task, by its last state.", taskBuckets)
	all.first = histogram(firstEvent, "From the message to the first event of the agent.", operationBuckets)
	all.takeovers = counter(takeovers, "Tasks taken over from another process.")
	all.cardChanges = counter(cardChanges, "Changed cards of agents.")
	all.tokens = counter(oauthTokens, "Answers of the token endpoint.")
	all.reuse = counter(refreshReuse, "Refresh tokens presented again after their use.")
	all.registrations = counter(registration, "Registered clients.")
	all.hybrids = counter(hybrids, "Requests that mix MCP revisions.")
	all.deliveries = counter(deliveries, "Attempts to deliver a push notification or an event to a webhook.")
	all.limited = counter(rateLimited, "Requests refused because of a limit.")
	all.info(program, commit)
	return all, failed
}

// info is always 1, with what runs as attributes.
func (m *meters) info(program, commit string) {
	labels := []attribute.KeyValue{version.String(program)}
	if commit != "" {
		labels = append(labels, revision.String(commit))
	}
	m.gauge(buildInfo, "", "What runs.", func(context.Context) ([]Sample, error) { return []Sample{{1, labels}}, nil })
}

// Sample is a value of a gauge.
type Sample struct {
	Value  float64
	Labels []attribute.KeyValue
}

// readTime bounds what reads a gauge.
const readTime = 5 * time.Second

// gauge adds a metric that is read when metrics are collected.
func (m *meters) gauge(name, unit, description string, read func(context.Context) ([]Sample, error)) {
	_, _ = m.meter.Float64ObservableGauge(name, metric.WithUnit(unit), metric.WithDescription(description),
		metric.WithFloat64Callback(func(ctx context.Context, o metric.Float64Observer) error {
			ctx, cancel := context.WithTimeout(ctx, readTime)
			defer cancel()
			samples, err := read(ctx)
			for _, s := range samples {
				o.Observe(s.Value, metric.WithAttributes(s.Labels...))
			}
			return err
		}))
}
