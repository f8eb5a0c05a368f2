package server

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"rialto/internal/unavailable"
)

// readyFor limits how long a probe waits for the signing keys. The store limits its part.
const readyFor = 2 * time.Second

// livez answers GET /livez: the process answers. It does not look at the database, because a
// restart would not bring that back.
func (s *Server) livez(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	fmt.Fprintln(w, "ok")
}

// readiness is what a probe found. Each check is "ok" or says what is wrong, without what the
// database said: that is in the log.
type readiness struct {
	Status string            `json:"status"` // "ok" or "unavailable"
	Checks map[string]string `json:"checks"`
}

func (s *Server) readiness(ctx context.Context) readiness {
	r := readiness{"ok", map[string]string{}}
	check := func(name string, err error, wrong string) {
		if r.Checks[name] = "ok"; err == nil {
			return
		}
		s.log.ErrorContext(ctx, "readiness", "check", name, "err", &unavailable.Error{Cause: err})
		r.Status, r.Checks[name] = "unavailable", wrong
	}
	database, migrations := s.store.Probe(ctx)
	check("database", database, "the database cannot be read and written")
	if database == nil {
		check("migrations", migrations, "the tables are older than this program")
		ctx, cancel := context.WithTimeout(ctx, readyFor)
		defer cancel()
		_, err := s.oauth.Keys.Public(ctx)
		check("keys", err, "the signing keys cannot be read")
	}
	return r
}

// readyz answers GET /readyz: 200 if the server can do its work and takes more of it.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) {
	found := s.readiness(r.Context())
	found.Checks["draining"] = "ok"
	if s.draining.Load() {
		found.Status, found.Checks["draining"] = "unavailable", "the server is stopping"
	}
	found.write(w)
}

func (r readiness) write(w http.ResponseWriter) {
	status := http.StatusOK
	if r.Status != "ok" {
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", unavailable.RetryAfterHeader)
	}
	writeStatus(w, status, r)
}

// health answers GET /healthz: 200 if the server can do its work.
func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if s.readiness(r.Context()).Status != "ok" {
		w.Header().Set("Retry-After", unavailable.RetryAfterHeader)
		http.Error(w, "the database cannot be used", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

// mcpHealth answers GET /mcp/health: the same in JSON.
func (s *Server) mcpHealth(w http.ResponseWriter, r *http.Request) {
	status := http.StatusOK
	found := s.readiness(r.Context())
	if found.Status != "ok" {
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", unavailable.RetryAfterHeader)
	}
	writeStatus(w, status, map[string]string{"status": found.Status})
}

// drain returns a context that ends shutdown_delay after ctx. In between /readyz fails, so that
// load balancers send no more requests before the listeners close. Call done in the end.
func (s *Server) drain(ctx context.Context) (later context.Context, done func()) {
	later, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		s.draining.Store(true)
		if s.cfg.Load().ShutdownDelay <= 0 {
			end()
			return
		}
		s.log.InfoContext(ctx, "rialto stops taking requests", "in", s.cfg.Load().ShutdownDelay)
		time.AfterFunc(s.cfg.Load().ShutdownDelay, end)
	})
	return later, func() { stop(); end() }
}
