// Package telemetry exports OpenTelemetry traces, metrics and logs of the server, as the OTEL_ environment variables say and to Prometheus. It knows what the
// parts report to it as their observer. The parts do not know this package.
//
// Names and attributes are those of the semantic conventions for MCP, A2A, HTTP and databases;
// names.go has all of them. Attributes of metrics come from closed sets or from the
// configuration: no user, client, task or address is in a metric.
package telemetry

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync/atomic"
	"time"

	promclient "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"go.opentelemetry.io/contrib/exporters/autoexport"
	"go.opentelemetry.io/contrib/instrumentation/runtime"
	"go.opentelemetry.io/contrib/propagators/autoprop"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/propagation"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
)

// Telemetry reports to the exporters that are configured. A nil *Telemetry does nothing.
type Telemetry struct {
	tracer     oteltrace.Tracer // nil without traces
	propagator propagation.TextMapPropagator
	meters     *meters // nil without metrics
	logs       *sdklog.LoggerProvider
	registry   *promclient.Registry // nil without a listener for Prometheus
	following  atomic.Int64         // tasks
	kept       []*kept              // gauges of the database
	refreshed  atomic.Int64         // when they were read, in Unix nanoseconds
	stopAll    []func(context.Context) error
}

// Exporters are where telemetry goes. Start makes them of the environment; tests have their own.
type Exporters struct {
	Spans   trace.SpanProcessor // nil exports no traces
	Readers []metric.Reader
	Logs    sdklog.Processor
	Sampler trace.Sampler // nil samples all

	registry *promclient.Registry
	revision string
}

// Start starts telemetry as the environment says (OTEL_TRACES_EXPORTER, OTEL_EXPORTER_OTLP_ENDPOINT
// and the others of the OpenTelemetry specification), and for Prometheus if scraped. It returns nil if nothing is
// configured, and dials nothing then. Metrics name version and revision, the commit. Stop it.
func Start(ctx context.Context, version, revision string, scraped bool) (*Telemetry, error) {
	to, err := fromEnvironment(ctx)
	if err != nil {
		return nil, fmt.Errorf("telemetry (the OTEL_ variables): %w", err)
	}

	to.revision = revision
	if scraped {
		to.registry = promclient.NewRegistry()
		process := collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})
		if err := to.registry.Register(process); err != nil {
			return nil, err
		}
		reader, err := prometheus.New(
			prometheus.WithRegisterer(to.registry),
			prometheus.WithoutScopeInfo(),
			prometheus.WithoutTargetInfo(),
		)
		if err != nil {
			return nil, err
		}
		to.Readers = append(to.Readers, reader)
	}
	if to.Spans == nil && len(to.Readers) == 0 && to.Logs == nil {
		return nil, nil
	}

	return New(ctx, version, to)
}

// LogErrors writes the errors of the exporters of this process to a log, which must not be exported.
func LogErrors(log *slog.Logger) {
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		log.Warn("exporting telemetry", "err", err)
	}))
}

// New returns telemetry that goes to the exporters.
func New(ctx context.Context, version string, to Exporters) (*Telemetry, error) {
	about, err := resource.New(
		ctx,
		resource.WithAttributes(
			attribute.String("service.name", "rialto"),
			attribute.String("service.version", version),
			attribute.String("service.instance.id", rand.Text()),
		),
		resource.WithTelemetrySDK(),
		resource.WithHost(),
		resource.WithProcessPID(),
		resource.WithFromEnv(),
	)
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, err
	}

	t := &Telemetry{registry: to.registry, propagator: propagation.TraceContext{}}
	if os.Getenv("OTEL_PROPAGATORS") != "" {
		t.propagator = autoprop.NewTextMapPropagator()
	}
	if to.Spans != nil {
		sampler := to.Sampler
		if sampler == nil {
			sampler = trace.AlwaysSample()
		}
		p := trace.NewTracerProvider(
			trace.WithResource(about),
			trace.WithSpanProcessor(to.Spans),
			trace.WithSampler(local(sampler)),
		)
		t.tracer = p.Tracer("rialto", oteltrace.WithInstrumentationVersion(version))
		t.stopAll = append(t.stopAll, p.Shutdown)
	}
	if len(to.Readers) > 0 {
		options := []metric.Option{metric.WithResource(about)}
		for _, r := range to.Readers {
			options = append(options, metric.WithReader(r))
		}
		p := metric.NewMeterProvider(options...)
		t.meters, err = newMeters(p.Meter("rialto"), version, to.revision)
		if err != nil {
			return nil, err
		}
		if err := runtime.Start(runtime.WithMeterProvider(p)); err != nil {
			return nil, err
		}
		t.stopAll = append(t.stopAll, p.Shutdown)
	}
	if to.Logs != nil {
		t.logs = sdklog.NewLoggerProvider(sdklog.WithResource(about), sdklog.WithProcessor(to.Logs))
		t.stopAll = append(t.stopAll, t.logs.Shutdown)
	}

	return t, nil
}

// local makes the decision of the sampler count for each trace that begins here. The caller's
// decision does not: callers are not trusted.
func local(s trace.Sampler) trace.Sampler {
	return trace.ParentBased(
		s, trace.WithRemoteParentSampled(s), trace.WithRemoteParentNotSampled(s),
	)
}

// noSpan is what ends where nothing is traced.
var noSpan = oteltrace.SpanFromContext(context.Background())

// stopTime bounds the last export.
const stopTime = 5 * time.Second

// Stop exports the rest.
func (t *Telemetry) Stop() error {
	if t == nil {
		return nil
	}

	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	var err error
	for _, stop := range slices.Backward(t.stopAll) {
		err = errors.Join(err, stop(ctx))
	}

	return err
}

// fromEnvironment returns the exporters that the OTEL_ variables ask for: without any of them, none.
func fromEnvironment(ctx context.Context) (to Exporters, err error) {
	if os.Getenv("OTEL_SDK_DISABLED") == "true" { // the SDK does not read it
		return to, nil
	}
	if wanted("TRACES") {
		exporter, err := autoexport.NewSpanExporter(ctx)
		if err != nil {
			return to, err
		}
		to.Spans = trace.NewBatchSpanProcessor(exporter)
		to.Sampler, err = samplerOf(
			os.Getenv("OTEL_TRACES_SAMPLER"), os.Getenv("OTEL_TRACES_SAMPLER_ARG"),
		)
		if err != nil {
			return to, err
		}
	}
	if wanted("METRICS") {
		reader, err := autoexport.NewMetricReader(ctx)
		if err != nil {
			return to, err
		}
		to.Readers = append(to.Readers, reader)
	}
	if wanted("LOGS") {
		exporter, err := autoexport.NewLogExporter(ctx)
		if err != nil {
			return to, err
		}
		to.Logs = sdklog.NewBatchProcessor(exporter)
	}

	return to, nil
}

// wanted tells whether the environment configures an exporter of a signal. autoexport alone would
// export to localhost if nothing is set.
func wanted(signal string) bool {
	if name := os.Getenv("OTEL_" + signal + "_EXPORTER"); name != "" {
		return name != "none"
	}
	return os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" ||
		os.Getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT") != ""
}
