package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"rialto/bridge/ledger"
	"rialto/mcp"
)

// Gauges are what is read when metrics are collected. Those of the database are the same at each
// replica: take the largest, not the sum.
type Gauges interface {
	Unfinished(context.Context) ([]ledger.Count, error)          // tasks that have not ended
	OpenCircuits() []string                                      // the agents that are not called now
	CountNotices(context.Context) (pending, dead int64, _ error) // push notifications
	NextNotice(
		context.Context,
	) (time.Time, error) // when one can be delivered; zero if none can
	KeyExpiry(
		context.Context,
	) (time.Time, error) // when the signing key is replaced; zero without a key
	Streams() mcp.StreamStats     // of MCP
	UsageDropped() int64          // records that were not kept
	QueueLengths() map[string]int // by name
}

// Read adds the gauges.
func (t *Telemetry) Read(g Gauges) {
	if t == nil || t.meters == nil {
		return
	}
	m := t.meters
	m.gauge(
		tasks,
		"{task}",
		"Tasks that have not ended, by state and agent.",
		func(ctx context.Context) (all []sample, _ error) {
			counts, err := g.Unfinished(ctx)
			for _, c := range counts {
				all = append(
					all, with(c.Tasks, agent.String(c.Agent), state.String(string(c.State))),
				)
			}
			return all, err
		},
	)
	m.gauge(
		circuit,
		"",
		"1 for an agent that is not called because it failed.",
		func(context.Context) (all []sample, _ error) {
			for _, name := range g.OpenCircuits() {
				all = append(all, with(1, agent.String(name)))
			}
			return all, nil
		},
	)
	m.gauge(
		outbox,
		"{notification}",
		"Push notifications that wait, or could not be delivered.",
		func(ctx context.Context) ([]sample, error) {
			pending, dead, err := g.CountNotices(ctx)
			return []sample{
				with(pending, state.String("pending")),
				with(dead, state.String("dead")),
			}, err
		},
	)
	m.gauge(
		outboxLag,
		"s",
		"How late the next push notification is.",
		func(ctx context.Context) ([]sample, error) {
			due, err := g.NextNotice(ctx)
			late := time.Duration(0)
			if !due.IsZero() {
				late = max(0, time.Since(due))
			}
			return []sample{with(late.Seconds())}, err
		},
	)
	m.gauge(keyExpiry, "s", "Until a signing key is replaced.", func(ctx context.Context) ([]sample, error) {
		at, err := g.KeyExpiry(ctx)
		if at.IsZero() {
			return nil, err
		}
		return []sample{with(time.Until(at).Seconds(), key.String("signing"))}, err
	})
	m.gauge(queueLength, "", "What waits in a queue.", func(context.Context) (all []sample, _ error) {
		for name, length := range g.QueueLengths() {
			all = append(all, with(length, queue.String(name)))
		}
		return all, nil
	})
	m.gauge(
		streams,
		"{stream}",
		"Event streams of MCP: open, and refused since the start because of a limit.",
		func(context.Context) ([]sample, error) {
			now := g.Streams()
			return []sample{
				with(now.Open, state.String("open")),
				with(now.RefusedUser, state.String("refused_user")),
				with(now.RefusedAll, state.String("refused_all")),
			}, nil
		},
	)
	m.gauge(followers, "", "Tasks that this process follows.", func(context.Context) ([]sample, error) {
		return []sample{with(t.following.Load())}, nil
	})
	m.gauge(
		usageDropped,
		"",
		"Records of calls that were not kept, since the start.",
		func(context.Context) ([]sample, error) {
			return []sample{with(g.UsageDropped())}, nil
		},
	)
}

// sample is a value of a gauge.
type sample struct {
	value  float64
	labels []attribute.KeyValue
}

func with[N int | int64 | float64](value N, labels ...attribute.KeyValue) sample {
	return sample{float64(value), labels}
}

// readTime bounds what reads a gauge.
const readTime = 5 * time.Second

// gauge adds a metric that is read when metrics are collected.
func (m *meters) gauge(
	name, unit, description string,
	read func(context.Context) ([]sample, error),
) {
	_, _ = m.meter.Float64ObservableGauge(
		name,
		metric.WithUnit(unit),
		metric.WithDescription(description),
		metric.WithFloat64Callback(func(ctx context.Context, o metric.Float64Observer) error {
			ctx, cancel := context.WithTimeout(ctx, readTime)
			defer cancel()
			samples, err := read(ctx)
			for _, s := range samples {
				o.Observe(s.value, metric.WithAttributes(s.labels...))
			}
			return err
		}),
	)
}
