package server

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"time"

	"rialto/bridge/directory"
	"rialto/internal/telemetry"
	"rialto/mcp"
	"rialto/oauth/token"
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
	if s.push != nil {
		s.push.Metrics = t.Deliveries(telemetry.Push)
	}
	if s.events != nil {
		s.events.Metrics = t.Deliveries(telemetry.Event)
	}
	t.Read(telemetry.Gauges{
		Tasks:        s.store.Ledger.Unfinished,
		OpenCircuits: func() []string { return openCircuits(s.bridge.Directory) },
		Outbox:       s.store.Ledger.CountNotices,
		NextNotice:   s.store.Ledger.NextNotice,
		KeyExpiry:    func(ctx context.Context) (map[string]time.Time, error) { return keyExpiry(ctx, s.oauth.Keys) },
		Streams:      s.mcp.Streams,
		UsageDropped: s.usage.Dropped,
		Queues:       map[string]func() int{"usage": s.usage.Waiting, "audit": s.audit.Waiting, "search index": s.store.Ledger.IndexWaiting},
	})
}

// openCircuits returns the agents that are not called because they failed.
func openCircuits(d *directory.Directory) (open []string) {
	for _, e := range d.All() {
		if h, ok := d.Health(e.Name); ok && time.Now().Before(h.Contact.Until) {
			open = append(open, e.Name)
		}
	}
	return open
}

// keyExpiry returns when the key that signs access tokens is replaced.
func keyExpiry(ctx context.Context, signing *token.Keys) (map[string]time.Time, error) {
	keys, err := signing.List(ctx)
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	return map[string]time.Time{"signing": keys[len(keys)-1].Rotates()}, nil
}

// serveScrapes serves metrics and profiles until ctx ends.
func serveScrapes(ctx context.Context, l net.Listener, t *telemetry.Telemetry, log *slog.Logger) {
	srv := &http.Server{Handler: t.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	context.AfterFunc(ctx, func() { _ = srv.Close() })
	if err := srv.Serve(l); ctx.Err() == nil {
		log.ErrorContext(ctx, "serving metrics", "err", err)
	}
}
