package server

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"rialto/cmd/rialto/internal/telemetry"
	"rialto/mcp"
	"rialto/store/ledgerdb"
)

// observe has telemetry observe the parts, if there is any.
func (s *Server) observe() {
	t := s.telemetry
	if t == nil {
		return
	}

	s.mcp.Observers = slices.Insert(s.mcp.Observers, 0, mcp.Observer(t)) // outermost
	s.store.Observe(t.Database(s.store.System()))
	s.bridge.Runner.Observer = t
	s.oauth.Exchange.Observer = t
	if s.webhooks.push != nil {
		s.webhooks.push.Metrics = t.Deliveries(telemetry.Push)
	}
	if s.webhooks.events != nil {
		s.webhooks.events.Metrics = t.Deliveries(telemetry.Event)
	}

	t.Read(gauges{s.store.Ledger, s.store.Ledger.Outbox(), s})
}

// gauges implements telemetry.Gauges: it reads the parts of a server.
type gauges struct {
	*ledgerdb.Store
	ledgerdb.Outbox
	s *Server
}

// Agents returns how each agent is reached.
func (g gauges) Agents() (all []telemetry.AgentHealth) {
	for _, e := range g.s.bridge.Directory.All() {
		h, _ := g.s.bridge.Directory.Health(e.Name)
		up, probed := g.s.health.agents.Load(e.Name)
		all = append(all, telemetry.AgentHealth{
			Name:   e.Name,
			Open:   time.Now().Before(h.Contact.Until),
			Probed: probed,
			Up:     up == true,
		})
	}
	return all
}

// CertificateExpiry returns when the certificate expires; zero without one.
func (g gauges) CertificateExpiry() time.Time { return g.s.certificate.expires() }

// Reloaded reports whether the last reload did not fail.
func (g gauges) Reloaded() bool { return !g.s.reloading.failed.Load() }

// KeyExpiry returns when the key that signs access tokens is replaced.
func (g gauges) KeyExpiry(ctx context.Context) (at time.Time, err error) {
	keys, err := g.s.oauth.Keys.List(ctx)
	if err != nil || len(keys) == 0 {
		return at, err
	}
	return keys[len(keys)-1].Rotates(), nil
}

// Streams returns how many event streams are open.
func (g gauges) Streams() mcp.StreamStats { return g.s.mcp.Streams() }

// UsageDropped returns how many usage records were dropped.
func (g gauges) UsageDropped() int64 { return g.s.usage.Dropped() }

// QueueLengths returns how many records wait to be written.
func (g gauges) QueueLengths() map[string]int {
	return map[string]int{
		"usage":        g.s.usage.Waiting(),
		"audit":        g.s.audit.Waiting(),
		"search index": g.Store.IndexWaiting(),
	}
}

// ownHost refuses what comes to a loopback address under another name: a page in a browser on this
// machine could read the metrics by a name of its own that leads here (DNS rebinding).
func ownHost(next http.Handler, at net.Addr) http.Handler {
	tcp, ok := at.(*net.TCPAddr)
	if !ok || !tcp.IP.IsLoopback() {
		return next
	}

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := (&url.URL{Host: r.Host}).Hostname()
		if host != "localhost" && net.ParseIP(host) == nil {
			http.Error(w, "use the address, or localhost", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// serveScrapes serves metrics and profiles until ctx ends.
func serveScrapes(ctx context.Context, l net.Listener, t *telemetry.Telemetry, log *slog.Logger) {
	srv := &http.Server{
		Handler:           ownHost(t.Handler(), l.Addr()),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       time.Minute,
	}
	context.AfterFunc(ctx, func() { _ = srv.Close() })
	if err := srv.Serve(l); ctx.Err() == nil {
		log.ErrorContext(ctx, "serving metrics", "err", err)
	}
}
