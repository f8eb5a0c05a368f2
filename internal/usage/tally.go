package usage

import "time"

// Bounds are the upper bounds, in milliseconds, of the buckets of a histogram of durations; the
// last bucket has none. Histograms can be summed over hours, quantiles cannot.
var Bounds = [...]int64{
	5,
	10,
	25,
	50,
	100,
	250,
	500,
	1000,
	2500,
	5000,
	10_000,
	30_000,
	60_000,
	120_000,
	300_000,
}

// Buckets is how many buckets there are.
const Buckets = len(Bounds) + 1

// Tally is a sum of calls with a histogram of their durations.
type Tally struct {
	Key      string
	From     time.Time
	Calls    int64
	Errors   int64
	BytesIn  int64
	BytesOut int64
	Millis   int64
	Counts   [Buckets]int64
}

// Add counts a call.
func (t *Tally) Add(c Record) {
	t.Calls++
	if c.Outcome == Failed || c.Outcome == Refused {
		t.Errors++
	}
	t.BytesIn += c.BytesIn
	t.BytesOut += c.BytesOut
	t.Millis += c.Millis
	t.Counts[bucket(c.Millis)]++
}

func bucket(ms int64) int {
	for i, bound := range Bounds {
		if ms <= bound {
			return i
		}
	}
	return Buckets - 1
}

// Sum returns the sum. Quantiles are interpolated within their bucket.
func (t *Tally) Sum() Sum {
	s := Sum{
		Key:      t.Key,
		From:     t.From,
		Calls:    t.Calls,
		Errors:   t.Errors,
		BytesIn:  t.BytesIn,
		BytesOut: t.BytesOut,
	}
	if t.Calls > 0 {
		s.Mean = float64(t.Millis) / float64(t.Calls)
		s.P50, s.P95, s.P99 = t.quantile(0.50), t.quantile(0.95), t.quantile(0.99)
	}

	return s
}

// quantile interpolates within the bucket that holds the quantile. In the last bucket,
// which has no upper bound, it returns the lower bound.
func (t *Tally) quantile(part float64) float64 {
	rank := part * float64(t.Calls)
	below := 0.0
	for i, n := range t.Counts {
		if n == 0 || below+float64(n) < rank {
			below += float64(n)
			continue
		}
		low := 0.0
		if i > 0 {
			low = float64(Bounds[i-1])
		}
		if i == len(Bounds) {
			return low
		}
		return low + (float64(Bounds[i])-low)*(rank-below)/float64(n)
	}

	return float64(Bounds[len(Bounds)-1])
}
