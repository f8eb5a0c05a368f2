// Package harness measures servers: it calls them over several connections at
// once and reports rates, latencies, processor time and memory. It knows no
// server and no protocol above MCP's framing.
package harness

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"sync"
	"time"
)

// Load says how hard, how long and how often a server is called.
type Load struct {
	Callers int           // calls at one time
	Period  time.Duration // of one round
	Rounds  int
	Only    string // measure only servers or rows whose names begin so
	Profile string // file for a CPU profile of this process; "" writes none
}

// Flags returns the flags that all benchmarks share, with these defaults.
func (l *Load) Flags(name string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ExitOnError)
	f.IntVar(&l.Callers, "c", l.Callers, "number of concurrent callers")
	f.DurationVar(&l.Period, "t", l.Period, "duration of one measurement")
	f.IntVar(&l.Rounds, "n", l.Rounds, "number of rounds; the best of each row is reported")
	f.StringVar(&l.Only, "only", l.Only, "measure only the rows whose names begin with this")
	f.StringVar(&l.Profile, "cpuprofile", l.Profile, "file for a CPU profile of the benchmark's own process")
	return f
}

// Profiled runs bench, under the profiler if Profile names a file.
func (l *Load) Profiled(bench func() error) error {
	if l.Profile == "" {
		return bench()
	}
	f, err := os.Create(l.Profile)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	return bench()
}

// Outcome is the result of one measurement. On a busy machine CPU is more
// reliable than Rate.
type Outcome struct {
	Rate        float64 // calls per second
	Allocations float64 // per call, in this process
	P50, P99    time.Duration
	CPU         time.Duration // per call, of the measured process
}

// Better returns the faster of two outcomes, with the lower CPU time of both.
func (o Outcome) Better(other Outcome) Outcome {
	fast, slow := o, other
	if other.Rate > o.Rate {
		fast, slow = other, o
	}
	if slow.CPU != 0 {
		fast.CPU = min(fast.CPU, slow.CPU)
	}
	return fast
}

// Run calls from all callers until the period is over and measures the process
// pid. A call that returns io.EOF ends its caller without an error.
func (l Load) Run(pid int, call func(caller int) error) (Outcome, error) {
	var (
		all           sync.WaitGroup
		times         = make([][]time.Duration, l.Callers)
		errs          = make([]error, l.Callers)
		before, after runtime.MemStats
	)
	runtime.GC()
	runtime.ReadMemStats(&before)
	used, err := CPUTime(pid)
	if err != nil {
		return Outcome{}, err
	}
	begun := time.Now()
	for i := range times {
		all.Go(func() {
			for last := begun; last.Sub(begun) < l.Period; {
				if errs[i] = call(i); errs[i] != nil {
					return
				}
				now := time.Now()
				times[i] = append(times[i], now.Sub(last))
				last = now
			}
		})
	}
	all.Wait()
	took := time.Since(begun)
	runtime.ReadMemStats(&after)
	usedAfter, err := CPUTime(pid)
	for _, e := range errs {
		if !errors.Is(e, io.EOF) {
			err = errors.Join(err, e)
		}
	}
	sorted := slices.Concat(times...)
	if err != nil || len(sorted) == 0 {
		return Outcome{}, errors.Join(err, errors.New("nothing was measured"))
	}
	slices.Sort(sorted)
	n := len(sorted)
	return Outcome{
		Rate:        float64(n) / took.Seconds(),
		Allocations: float64(after.Mallocs-before.Mallocs) / float64(n),
		CPU:         ((usedAfter - used) / time.Duration(n)).Round(100 * time.Nanosecond),
		P50:         sorted[n/2].Round(time.Microsecond),
		P99:         sorted[n*99/100].Round(time.Microsecond),
	}, nil
}

// Warm calls n times, one after the other, before a measurement.
func Warm(n int, call func() error) error {
	for range n {
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}

// MiB prints a number of bytes.
func MiB(bytes int64) string { return fmt.Sprintf("%.0f MiB", float64(bytes)/(1<<20)) }
