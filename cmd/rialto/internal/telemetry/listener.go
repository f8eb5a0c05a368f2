package telemetry

import (
	"net/http"
	"net/http/pprof"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Handler serves /metrics for Prometheus and Go's profiles below /debug/pprof/. It has no guard: it belongs on a
// listener of its own that only operators reach.
func (t *Telemetry) Handler() http.Handler {
	m := http.NewServeMux()
	m.Handle(
		"GET /metrics",
		promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{
			MaxRequestsInFlight: 4,
			EnableOpenMetrics:   true, // which has exemplars
		}),
	)
	m.HandleFunc("GET /debug/pprof/", pprof.Index)
	m.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	m.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	m.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	m.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return m
}
