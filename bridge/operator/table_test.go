package operator_test

import (
	"slices"
	"strings"
	"testing"

	"rialto/bridge/operator"
	"rialto/internal/audit"
)

// TestFiltersKnowTheirVocabularies compares tables.yaml with the vocabularies of the filters.
func TestFiltersKnowTheirVocabularies(t *testing.T) {
	var kinds, words, states []string
	for _, k := range audit.Kinds {
		first, _, _ := strings.Cut(string(k), ".")
		kinds = append(kinds, string(k))
		words = append(words, first, string(k))
	}
	slices.Sort(words)
	for _, s := range operator.States {
		states = append(states, string(s))
	}

	events := operator.Filters(&operator.EventFilter{})
	tasks := operator.Filters(&operator.TaskFilter{})
	for _, c := range []struct {
		filters      []operator.Filter
		field, param string
		want         []string
	}{
		{events, "kind", "", kinds},
		{events, "", "kind", slices.Compact(words)},
		{tasks, "state", "state", states},
	} {
		i := slices.IndexFunc(c.filters, func(f operator.Filter) bool {
			return f.Field == c.field && f.Param == c.param
		})
		if got := c.filters[i].Values(); !slices.Equal(got, c.want) {
			t.Errorf("got %v, want %v", got, c.want)
		}
	}
	for _, k := range kinds {
		if operator.Word("events", "kind", k) == k {
			t.Errorf("pages have no word for the kind %s", k)
		}
	}
}
