package telemetry

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
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

// TestMeasurementsHaveExemplars reads the trace of a measurement as Prometheus does, and what names the process.
func TestMeasurementsHaveExemplars(t *testing.T) {
	srv := httptest.NewServer(&collector{})
	defer srv.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", srv.URL+"/v1/traces")
	to, err := Start(t.Context(), "test", "", true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = to.Stop() })
	_, ended := to.ObserveRequest(t.Context(), mcp.Operation{Method: "ping", TraceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"})
	ended(mcp.Outcome{})
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil)
	r.Header.Set("Accept", "application/openmetrics-text; version=1.0.0")
	w := httptest.NewRecorder()
	to.Handler().ServeHTTP(w, r)
	if !regexp.MustCompile(`mcp_server_operation_duration_seconds_bucket.* # {.*trace_id="0af7651916cd43dd8448eb211c80319c"`).MatchString(w.Body.String()) {
		t.Errorf("got no exemplar: %.2000s", w.Body)
	}
}

// TestEachProcessHasAnID compares two processes of one machine.
func TestEachProcessHasAnID(t *testing.T) {
	var ids []string
	for range 2 {
		reader := metric.NewManualReader()
		to, err := New(t.Context(), "test", Exporters{Readers: []metric.Reader{reader}})
		if err != nil {
			t.Fatal(err)
		}
		var all metricdata.ResourceMetrics
		if err := errors.Join(reader.Collect(t.Context(), &all), to.Stop()); err != nil {
			t.Fatal(err)
		}
		id, _ := all.Resource.Set().Value("service.instance.id")
		ids = append(ids, id.AsString())
	}
	if ids[0] == "" || ids[0] == ids[1] {
		t.Errorf("got the IDs %q, want one for each", ids)
	}
}

// TestErrorsOfExportersAreLogged exports to an address where nothing listens. The errors were lines of plain
// text among those of JSON.
func TestErrorsOfExportersAreLogged(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:1/v1/traces")
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "100")
	logged := make(chan string, 10)
	LogErrors(slog.New(slog.NewJSONHandler(writerFunc(func(b []byte) (int, error) {
		logged <- string(b)
		return len(b), nil
	}), nil)))
	to, err := Start(t.Context(), "test", "", false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = to.Stop() })
	_, ended := to.ObserveRequest(t.Context(), mcp.Operation{Method: "ping"})
	ended(mcp.Outcome{})
	if line := <-logged; !strings.Contains(line, `"msg":"exporting telemetry","err":"`) || !strings.Contains(line, "127.0.0.1:1") {
		t.Errorf("got %s", line)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

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
