package telemetry

import (
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// mostLabels is how many a metric has at most, and mostSets how many different sets are kept.
const (
	mostLabels = 9
	mostSets   = 2000
)

// sets keeps the attribute sets of metrics: to make one costs more than to record a value with it.
var sets = struct {
	sync.RWMutex
	made map[[mostLabels]attribute.KeyValue]metric.MeasurementOption
}{made: map[[mostLabels]attribute.KeyValue]metric.MeasurementOption{}}

// labelled returns the option with which a value is recorded under labels.
func labelled(labels ...attribute.KeyValue) metric.MeasurementOption {
	var key [mostLabels]attribute.KeyValue
	if copy(key[:], labels) < len(labels) {
		return metric.WithAttributes(labels...)
	}
	sets.RLock()
	set, ok := sets.made[key]
	sets.RUnlock()
	if ok {
		return set
	}
	set = metric.WithAttributes(labels...)
	sets.Lock()
	defer sets.Unlock()
	if len(sets.made) >= mostSets { // agents come and go
		clear(sets.made)
	}
	sets.made[key] = set
	return set
}
