package telemetry

import (
	"context"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/mcp"
)

// Gauges are what metrics show. Those that take a context are read from the database by Refresh, and the
// others when metrics are collected. Those of the database are the same at each replica: take the largest,
// not the sum.
type Gauges interface {
	// Unfinished counts the tasks that have not ended.
	Unfinished(context.Context) ([]ledger.Count, error)
	// Agents returns how each agent is reached.
	Agents() []AgentHealth
	// CountNotices counts the push notifications.
	CountNotices(context.Context) (pending, dead int64, _ error)
	// NextNotice returns when a push notification can be delivered; zero if none can.
	NextNotice(context.Context) (time.Time, error)
	// KeyExpiry returns when the signing key is replaced; zero without a key.
	KeyExpiry(context.Context) (time.Time, error)
	// Streams counts the event streams of MCP.
	Streams() mcp.StreamStats
	// UsageDropped counts the records of calls that were not kept.
	UsageDropped() int64
	// QueueLengths returns what waits in each queue, by its name.
	QueueLengths() map[string]int
	// CertificateExpiry returns when the certificate of the listeners expires; zero without one.
	CertificateExpiry() time.Time
	// Reloaded reports whether the configuration in force is the one that was read last.
	Reloaded() bool
}

// AgentHealth is how an agent is reached.
type AgentHealth struct {
	Name   string
	Open   bool // its circuit: it is not called now
	Probed bool
	Up     bool // it answered the last probe
}

// Read adds the gauges.
func (t *Telemetry) Read(g Gauges) {
	if t == nil || t.meters == nil {
		return
	}

	m := t.meters
	of := readings{g}
	t.refreshed.Store(time.Now().UnixNano())
	m.gauge(gaugesAge, "s", "Since the gauges of the database were read.", t.sinceRefresh)
	m.gauge(keyExpiry, "s", "Until a signing key is replaced.", t.keep(of.untilKeyExpires))
	m.gauge(certificate, "s", "Until the certificate expires.", of.untilCertificateExpires)
	const ok = "1 if the configuration that was read last is in force, otherwise 0."
	m.gauge(reloaded, "", ok, of.lastReload)
	m.gauge(circuit, "", "1 for an agent that is not called because it failed.", of.circuits)
	m.gauge(agentUp, "", "1 for an agent that answered the last probe, otherwise 0.", of.agentsUp)

	m.gauge(tasks, "{task}", "Tasks that have not ended, by state and agent.", t.keep(of.unfinished))
	m.gauge(followers, "", "Tasks that this process follows.", one(t.following.Load))

	const notices = "Push notifications that wait, or could not be delivered."
	m.gauge(outbox, "{notification}", notices, t.keep(of.countNotices))
	m.gauge(outboxLag, "s", "How late the next push notification is.", t.keep(of.lateness))

	const open = "Event streams of MCP: open, and refused since the start because of a limit."
	m.gauge(streams, "{stream}", open, of.countStreams)

	m.gauge(queueLength, "", "What waits in a queue.", of.queueLengths)
	const dropped = "Records of calls that were not kept, since the start."
	m.gauge(usageDropped, "", dropped, one(g.UsageDropped))
}

// readings reads the samples of gauges.
type readings struct{ Gauges }

func (g readings) untilKeyExpires(ctx context.Context) ([]sample, error) {
	at, err := g.KeyExpiry(ctx)
	return until(at, key.String("signing")), err
}

func (g readings) untilCertificateExpires(context.Context) ([]sample, error) {
	return until(g.CertificateExpiry()), nil
}

// until has no sample for the zero time.
func until(at time.Time, labels ...attribute.KeyValue) []sample {
	if at.IsZero() {
		return nil
	}
	return []sample{with(time.Until(at).Seconds(), labels...)}
}

func (g readings) circuits(context.Context) (all []sample, _ error) {
	for _, a := range g.Agents() {
		all = append(all, is(a.Open, agent.String(a.Name)))
	}
	return all, nil
}

func (g readings) agentsUp(context.Context) (all []sample, _ error) {
	for _, a := range g.Agents() {
		if a.Probed {
			all = append(all, is(a.Up, agent.String(a.Name)))
		}
	}
	return all, nil
}

func (g readings) lastReload(context.Context) ([]sample, error) {
	return []sample{is(g.Reloaded())}, nil
}

// is returns 1 for true and 0 for false.
func is(so bool, labels ...attribute.KeyValue) sample {
	if so {
		return with(1, labels...)
	}
	return with(0, labels...)
}

// unfinishedStates are the states of tasks that have not ended.
var unfinishedStates = []a2a.State{a2a.Submitted, a2a.Working, a2a.InputRequired, a2a.AuthRequired}

// unfinished has a sample also where no task is.
func (g readings) unfinished(ctx context.Context) (all []sample, _ error) {
	type place struct {
		agent string
		state a2a.State
	}
	counts, err := g.Unfinished(ctx)
	number := map[place]int64{}
	for _, a := range g.Agents() {
		for _, s := range unfinishedStates {
			number[place{a.Name, s}] = 0
		}
	}
	for _, c := range counts {
		number[place{c.Agent, c.State}] = c.Tasks
	}

	for at, n := range number {
		all = append(all, with(n, agent.String(at.agent), state.String(string(at.state))))
	}

	return all, err
}

func (g readings) countNotices(ctx context.Context) ([]sample, error) {
	pending, dead, err := g.CountNotices(ctx)
	return []sample{
		with(pending, state.String("pending")),
		with(dead, state.String("dead")),
	}, err
}

func (g readings) lateness(ctx context.Context) ([]sample, error) {
	due, err := g.NextNotice(ctx)
	late := time.Duration(0)
	if !due.IsZero() {
		late = max(0, time.Since(due))
	}
	return []sample{with(late.Seconds())}, err
}

func (g readings) countStreams(context.Context) ([]sample, error) {
	now := g.Streams()
	return []sample{
		with(now.Open, state.String("open")),
		with(now.RefusedUser, state.String("refused_user")),
		with(now.RefusedAll, state.String("refused_all")),
	}, nil
}

func (g readings) queueLengths(context.Context) (all []sample, _ error) {
	for name, length := range g.QueueLengths() {
		all = append(all, with(length, queue.String(name)))
	}
	return all, nil
}

// one reads a gauge without labels.
func one(read func() int64) reading {
	return func(context.Context) ([]sample, error) { return []sample{with(read())}, nil }
}

// reading reads the samples of a gauge.
type reading func(context.Context) ([]sample, error)

// sample is a value of a gauge.
type sample struct {
	value  float64
	labels []attribute.KeyValue
}

func with[N int | int64 | float64](value N, labels ...attribute.KeyValue) sample {
	return sample{float64(value), labels}
}

const (
	refreshEvery = 10 * time.Second
	readTime     = 5 * time.Second // that reading a gauge of the database may take
)

// kept is a gauge of the database, as it was read last.
type kept struct {
	read reading
	last atomic.Pointer[[]sample]
}

// keep returns a reading that does not wait for the database: its samples are those of the last Refresh.
func (t *Telemetry) keep(read reading) reading {
	k := &kept{read: read}
	k.last.Store(&[]sample{})
	t.kept = append(t.kept, k)
	return func(context.Context) ([]sample, error) { return *k.last.Load(), nil }
}

// Refresh reads the gauges of the database again and again until ctx ends.
func (t *Telemetry) Refresh(ctx context.Context) {
	tick := time.NewTicker(refreshEvery)
	defer tick.Stop()
	for {
		t.refresh(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (t *Telemetry) refresh(ctx context.Context) {
	whole := true
	for _, k := range t.kept {
		bounded, cancel := context.WithTimeout(ctx, readTime)
		samples, err := k.read(bounded)
		cancel()
		if err == nil {
			k.last.Store(&samples)
		}
		whole = whole && err == nil
	}

	if whole {
		t.refreshed.Store(time.Now().UnixNano())
	}
}

func (t *Telemetry) sinceRefresh(context.Context) ([]sample, error) {
	return []sample{with(time.Since(time.Unix(0, t.refreshed.Load())).Seconds())}, nil
}

// gauge adds a metric that is read when metrics are collected.
func (m *meters) gauge(name, unit, description string, read reading) {
	_, _ = m.meter.Float64ObservableGauge(
		name,
		metric.WithUnit(unit),
		metric.WithDescription(description),
		metric.WithFloat64Callback(func(ctx context.Context, o metric.Float64Observer) error {
			samples, err := read(ctx)
			for _, s := range samples {
				o.Observe(s.value, metric.WithAttributes(s.labels...))
			}
			return err
		}),
	)
}
