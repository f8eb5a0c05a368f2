package telemetry

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"rialto/internal/lru"
)

// meters are the instruments, by the names of their metrics.
type meters struct {
	meter      metric.Meter
	histograms map[string]metric.Float64Histogram
	counters   map[string]metric.Int64Counter
	attributes lru.Cache[labelKey, metric.MeasurementOption]
}

// maxAttributes is how many sets of labels are kept: as many as a metric has at most.
const maxAttributes = 2000

// labelKey holds the labels of a measurement, of which none has more.
type labelKey [9]attribute.KeyValue

func newMeters(m metric.Meter, program, commit string) (*meters, error) {
	all := &meters{
		meter:      m,
		histograms: map[string]metric.Float64Histogram{},
		counters:   map[string]metric.Int64Counter{},
	}
	all.attributes.Max = maxAttributes
	var failed error
	for _, h := range []struct {
		name, description string
		buckets           []float64
	}{
		{mcpDuration, "MCP requests.", operationBuckets},
		{mcpSessions, "Sessions that clients ended.", operationBuckets},
		{httpDuration, "HTTP requests, without event streams.", requestBuckets},
		{dbDuration, "Statements and transactions.", databaseBuckets},
		{agentCalls, "Calls to agents.", operationBuckets},
		{taskDuration, "From the message to the end of a task, by its last state.", taskBuckets},
		{firstEvent, "From the message to the first event of the agent.", operationBuckets},
	} {
		var err error
		all.histograms[h.name], err = m.Float64Histogram(
			h.name,
			metric.WithUnit("s"),
			metric.WithDescription(h.description),
			metric.WithExplicitBucketBoundaries(h.buckets...),
		)
		failed = errors.Join(failed, err)
	}

	for name, description := range map[string]string{
		takeovers:    "Tasks taken over from another process.",
		cardChanges:  "Changed cards of agents.",
		oauthTokens:  "Answers of the token endpoint.",
		refreshReuse: "Refresh tokens presented again after their use.",
		registration: "Registered clients.",
		hybrids:      "Requests that mix MCP revisions.",
		deliveries:   "Attempts to deliver a push notification or an event to a webhook.",
		rateLimited:  "Requests refused because of a limit.",
	} {
		var err error
		all.counters[name], err = m.Int64Counter(name, metric.WithDescription(description))
		failed = errors.Join(failed, err)
	}

	labels := []attribute.KeyValue{version.String(program)}
	if commit != "" {
		labels = append(labels, revision.String(commit))
	}

	all.gauge(
		buildInfo,
		"",
		"What runs.",
		func(context.Context) ([]sample, error) { return []sample{with(1, labels...)}, nil },
	)
	return all, failed
}

// count adds one to a counter.
func (t *Telemetry) count(counter string, labels ...attribute.KeyValue) {
	if t != nil && t.meters != nil {
		t.meters.counters[counter].Add(context.Background(), 1, t.meters.with(labels))
	}
}

// record adds a duration to a histogram. The context has the trace of its exemplar.
func (t *Telemetry) record(
	ctx context.Context,
	histogram string,
	took time.Duration,
	labels ...attribute.KeyValue,
) {
	if t.meters != nil {
		t.meters.histograms[histogram].Record(ctx, took.Seconds(), t.meters.with(labels))
	}
}

// with returns the attributes of a measurement. They are kept, because to sort and hash them costs
// several times what the measurement does.
func (m *meters) with(labels []attribute.KeyValue) metric.MeasurementOption {
	var key labelKey
	copy(key[:], labels)
	attributes, ok := m.attributes.Get(key)
	if !ok {
		attributes = metric.WithAttributes(labels...)
		m.attributes.Put(key, attributes)
	}
	return attributes
}
