package telemetry

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"go.opentelemetry.io/otel/sdk/trace"

	"rialto/mcp"
)

// collector is an OTLP receiver that keeps the paths of its requests.
type collector struct {
	mu    sync.Mutex
	paths []string
}

func (c *collector) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paths = append(c.paths, r.URL.Path)
}

func (c *collector) got(path string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(c.paths, path)
}

// TestTheEnvironmentDecides starts telemetry with the variables of OpenTelemetry and looks at what arrives.
func TestTheEnvironmentDecides(t *testing.T) {
	traces, metrics, logs := "/v1/traces", "/v1/metrics", "/v1/logs"
	for name, tc := range map[string]struct {
		set  map[string]string
		want []string
	}{
		"nothing is set":        {},
		"an endpoint":           {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "URL"}, []string{traces, metrics, logs}},
		"an exporter is none":   {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "URL", "OTEL_LOGS_EXPORTER": "none"}, []string{traces, metrics}},
		"the endpoint of one":   {map[string]string{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "URL/v1/metrics"}, []string{metrics}},
		"the SDK is disabled":   {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "URL", "OTEL_SDK_DISABLED": "true"}, nil},
		"nothing is sampled":    {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "URL", "OTEL_TRACES_SAMPLER": "always_off"}, []string{metrics, logs}},
		"none of it is sampled": {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "URL", "OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0"}, []string{metrics, logs}},
	} {
		t.Run(name, func(t *testing.T) {
			c := &collector{}
			srv := httptest.NewServer(c)
			defer srv.Close()
			for key, value := range tc.set {
				if len(value) >= 3 && value[:3] == "URL" {
					value = srv.URL + value[3:]
				}
				t.Setenv(key, value)
			}
			to, err := Start(t.Context(), "test", "", false)
			if err != nil {
				t.Fatal(err)
			}
			if (to == nil) != (len(tc.want) == 0) {
				t.Fatalf("got %v, want telemetry only if something is exported", to)
			}
			slog.New(to.Logs(slog.DiscardHandler)).Warn("a line")
			if to != nil {
				// The caller says that it samples: that must not count.
				_, ended := to.ObserveRequest(t.Context(), mcp.Operation{Method: "ping", TraceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
				ended(mcp.Outcome{})
			}
			if err := to.Stop(); err != nil {
				t.Error(err)
			}
			for _, path := range []string{traces, metrics, logs} {
				if got, want := c.got(path), slices.Contains(tc.want, path); got != want {
					t.Errorf("%s: got %t, want %t", path, got, want)
				}
			}
		})
	}
}

// TestAWrongSamplerIsRefused checks that the error says what to write.
func TestAWrongSamplerIsRefused(t *testing.T) {
	for _, tc := range [][2]string{{"sometimes", ""}, {"traceidratio", "2"}, {"parentbased_traceidratio", "half"}} {
		if got, err := samplerOf(tc[0], tc[1]); err == nil {
			t.Errorf("%s %s: got %v, want an error", tc[0], tc[1], got.Description())
		}
	}
	if got, err := samplerOf("parentbased_traceidratio", "0.25"); err != nil || got.Description() != trace.TraceIDRatioBased(0.25).Description() {
		t.Errorf("got %v, %v, want a ratio of 0.25", got, err)
	}
}
