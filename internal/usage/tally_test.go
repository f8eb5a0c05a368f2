package usage

import (
	"reflect"
	"testing"
)

func TestQuantilesAreFoundWithinTheirBucket(t *testing.T) {
	for _, c := range []struct {
		name          string
		millis        []int64
		p50, p95, p99 float64 // the ends of the bucket that it must be in, upper
	}{
		{"all alike", []int64{7, 7, 7, 7}, 10, 10, 10},
		{"one of ten is slow", []int64{4, 4, 4, 4, 4, 4, 4, 4, 4, 900}, 5, 1000, 1000},
		{"beyond the last bound", []int64{400_000}, 300_000, 300_000, 300_000},
		{"at once", []int64{0, 0}, 5, 5, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			var tally Tally
			for _, ms := range c.millis {
				tally.Add(Record{Millis: ms, Outcome: OK})
			}
			s := tally.Sum()
			for _, q := range []struct {
				name      string
				got, most float64
			}{{"p50", s.P50, c.p50}, {"p95", s.P95, c.p95}, {"p99", s.P99, c.p99}} {
				if q.got > q.most || bucket(int64(q.got+0.999)) != bucket(int64(q.most)) {
					t.Errorf("%s: got %v, want it in the bucket that ends at %v", q.name, q.got, q.most)
				}
			}
		})
	}
}

func TestASumOfNothingIsZero(t *testing.T) {
	if got := (&Tally{Key: "k"}).Sum(); !reflect.DeepEqual(got, Sum{Key: "k"}) {
		t.Errorf("got %+v", got)
	}
}

func TestErrorsAreWhatFailedAndWhatWasRefused(t *testing.T) {
	var tally Tally
	for _, o := range []Outcome{OK, Failed, Refused, Canceled} {
		tally.Add(Record{Outcome: o, BytesIn: 1, BytesOut: 2, Millis: 3})
	}
	if got := tally.Sum(); got.Calls != 4 || got.Errors != 2 || got.BytesIn != 4 || got.BytesOut != 8 || got.Mean != 3 {
		t.Errorf("got %+v", got)
	}
}

func TestCostsOfSeveralCurrenciesAreNotAdded(t *testing.T) {
	s := Sum{Costs: Costs{"USD": "3.00", "EUR": "1.20"}}
	if got, want := s.Costs.String(), "1.20 EUR, 3.00 USD"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
