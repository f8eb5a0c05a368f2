package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"rialto/internal/dberr"
	"rialto/oauth/token"
	"rialto/store"
)

// readyFor limits how long a probe waits for the signing keys. The store limits its part.
const readyFor = 2 * time.Second

// health says whether the server works, to load balancers and orchestrators.
type health struct {
	store    *store.DB
	keys     *token.Keys
	log      *slog.Logger
	draining atomic.Bool // SIGTERM came: /readyz fails
	agents   sync.Map    // whether the last probe of each was answered, by name
}

// livez answers GET /livez: the process answers. It does not look at the database, because a
// restart would not bring that back.
func livez(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	fmt.Fprintln(w, "ok")
}

// readiness is what a probe found. Each check is "ok" or says what is wrong, without what the
// database said: that is in the log.
type readiness struct {
	Status string            `json:"status"` // "ok" or "unavailable"
	Checks map[string]string `json:"checks,omitempty"`
}

func (h *health) readiness(ctx context.Context) readiness {
	r := readiness{"ok", map[string]string{}}
	check := func(name string, err error, wrong string) {
		r.Checks[name] = "ok"
		if err != nil {
			h.log.ErrorContext(ctx, "readiness", "check", name, "err", &dberr.Error{Cause: err})
			r.Status, r.Checks[name] = "unavailable", wrong
		}
	}
	database, migrations := h.store.Probe(ctx)
	check("database", database, "the database cannot be read and written")
	if database == nil {
		check("migrations", migrations, "the tables are older than this program")
		ctx, cancel := context.WithTimeout(ctx, readyFor)
		defer cancel()
		_, err := h.keys.Public(ctx)
		check("keys", err, "the signing keys cannot be read")
	}

	return r
}

// status returns the status of an answer, and sets its Retry-After.
func (r readiness) status(w http.ResponseWriter) int {
	if r.Status == "ok" {
		return http.StatusOK
	}
	w.Header().Set("Retry-After", dberr.RetryAfterHeader)
	return http.StatusServiceUnavailable
}

// readyz answers GET /readyz: 200 if the server can do its work and takes more of it.
func (h *health) readyz(w http.ResponseWriter, r *http.Request) {
	found := h.readiness(r.Context())
	found.Checks["draining"] = "ok"
	if h.draining.Load() {
		found.Status, found.Checks["draining"] = "unavailable", "the server is stopping"
	}
	writeStatus(w, found.status(w), found)
}

// healthz answers GET /healthz: 200 if the server can do its work.
func (h *health) healthz(w http.ResponseWriter, r *http.Request) {
	if status := h.readiness(r.Context()).status(w); status != http.StatusOK {
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, "the database cannot be used", status)
		return
	}
	livez(w, r)
}

// mcp answers GET /mcp/health: the same in JSON.
func (h *health) mcp(w http.ResponseWriter, r *http.Request) {
	found := h.readiness(r.Context())
	writeStatus(w, found.status(w), readiness{Status: found.Status})
}

// awaitAgents waits for agents that have a message and have said nothing, for drain_timeout at most.
func (s *Server) awaitAgents(ctx context.Context) {
	most := s.cfg.Load().Serving.DrainTimeout
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), most)
	defer cancel()
	waits := time.AfterFunc(time.Second, func() {
		s.log.InfoContext(ctx, "rialto waits for agents that have not answered", "at_most", most)
	})
	defer waits.Stop()
	left := s.bridge.Runner.Drain(ctx)
	if len(left) > 0 {
		s.log.WarnContext(
			ctx, "agents have not answered: whether they got these messages stays unknown",
			"count", len(left),
			"tasks", left[:min(len(left), maxNamedTasks)],
		)
	}
}

// maxNamedTasks bounds a line of the log.
const maxNamedTasks = 100

// drain returns a context that ends shutdown_delay after ctx. In between /readyz fails, so that
// load balancers send no more requests before the listeners close. Call done in the end.
func (s *Server) drain(ctx context.Context) (later context.Context, done func()) {
	later, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		s.health.draining.Store(true)
		delay := s.cfg.Load().Serving.ShutdownDelay
		if delay <= 0 {
			end()
			return
		}
		s.log.InfoContext(ctx, "rialto stops taking requests", "in", delay)
		time.AfterFunc(delay, end)
	})
	return later, func() {
		stop()
		end()
	}
}
