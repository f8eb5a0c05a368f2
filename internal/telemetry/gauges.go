package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"rialto/bridge/ledger"
	"rialto/mcp"
)

// Gauges are what is read when metrics are collected. Those of the database are the same at each
// replica: take the largest, not the sum.
type Gauges struct {
	Tasks        func(context.Context) ([]ledger.Count, error)        // that have not ended
	OpenCircuits func() []string                                      // the agents that are not called now
	Outbox       func(context.Context) (pending, dead int64, _ error) // push notifications
	NextNotice   func(context.Context) (time.Time, error)             // when one can be delivered; zero if none can
	KeyExpiry    func(context.Context) (map[string]time.Time, error)  // when signing keys expire, by use
	Streams      func() mcp.StreamStats
	UsageDropped func() int64          // records that were not kept
	Queues       map[string]func() int // lengths
}

// Read adds the gauges.
func (t *Telemetry) Read(g Gauges) {
	if t == nil || t.meters == nil {
		return
	}
	m := t.meters
	m.gauge(tasks, "{task}", "Tasks that have not ended, by state and agent.", func(ctx context.Context) (all []Sample, _ error) {
		counts, err := g.Tasks(ctx)
		for _, c := range counts {
			all = append(all, Sample{float64(c.Tasks), []attribute.KeyValue{agent.String(c.Agent), state.String(string(c.State))}})
		}
		return all, err
	})
	m.gauge(circuit, "", "1 for an agent that is not called because it failed.", func(context.Context) (all []Sample, _ error) {
		for _, name := range g.OpenCircuits() {
			all = append(all, Sample{1, []attribute.KeyValue{agent.String(name)}})
		}
		return all, nil
	})
	m.gauge(outbox, "{notification}", "Push notifications that wait, or could not be delivered.", func(ctx context.Context) ([]Sample, error) {
		pending, dead, err := g.Outbox(ctx)
		return []Sample{{float64(pending), []attribute.KeyValue{state.String("pending")}}, {float64(dead), []attribute.KeyValue{state.String("dead")}}}, err
	})
	m.gauge(outboxLag, "s", "How late the next push notification is.", func(ctx context.Context) ([]Sample, error) {
		due, err := g.NextNotice(ctx)
		late := time.Duration(0)
		if !due.IsZero() {
			late = max(0, time.Since(due))
		}
		return []Sample{{Value: late.Seconds()}}, err
	})
	m.gauge(keyExpiry, "s", "Until a signing key is replaced.", func(ctx context.Context) (all []Sample, _ error) {
		keys, err := g.KeyExpiry(ctx)
		for use, at := range keys {
			all = append(all, Sample{time.Until(at).Seconds(), []attribute.KeyValue{key.String(use)}})
		}
		return all, err
	})
	m.gauge(queueLength, "", "What waits in a queue.", func(context.Context) (all []Sample, _ error) {
		for name, length := range g.Queues {
			all = append(all, Sample{float64(length()), []attribute.KeyValue{queue.String(name)}})
		}
		return all, nil
	})
	m.gauge(streams, "{stream}", "Event streams of MCP: open, and refused since the start because of a limit.", func(context.Context) (all []Sample, _ error) {
		now := g.Streams()
		for name, n := range map[string]float64{"open": float64(now.Open), "refused_user": float64(now.RefusedUser), "refused_all": float64(now.RefusedAll)} {
			all = append(all, Sample{n, []attribute.KeyValue{state.String(name)}})
		}
		return all, nil
	})
	for name, read := range map[string]func() float64{
		followers:    func() float64 { return float64(t.following.Load()) },
		usageDropped: func() float64 { return float64(g.UsageDropped()) },
	} {
		m.gauge(name, "", descriptions[name], func(context.Context) ([]Sample, error) { return []Sample{{Value: read()}}, nil })
	}
}

var descriptions = map[string]string{
	followers:    "Tasks that this process follows.",
	usageDropped: "Records of calls that were not kept, since the start.",
}
