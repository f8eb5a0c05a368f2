package telemetry

import (
	"fmt"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/sdk/trace"
)

// samplerOf returns the sampler of OTEL_TRACES_SAMPLER and its argument. A sampler that is "parentbased"
// is the same as its root: see local.
func samplerOf(name, arg string) (trace.Sampler, error) {
	switch strings.TrimPrefix(name, "parentbased_") {
	case "", "always_on":
		return trace.AlwaysSample(), nil
	case "always_off":
		return trace.NeverSample(), nil
	case "traceidratio":
		if arg == "" {
			return trace.AlwaysSample(), nil
		}
		ratio, err := strconv.ParseFloat(arg, 64)
		if err != nil || ratio < 0 || ratio > 1 {
			return nil, fmt.Errorf("OTEL_TRACES_SAMPLER_ARG is %q; write a number from 0 to 1", arg)
		}
		return trace.TraceIDRatioBased(ratio), nil
	}
	return nil, fmt.Errorf(
		"OTEL_TRACES_SAMPLER is %q; known are always_on, always_off, traceidratio, and each with parentbased_ before it",
		name,
	)
}
