package main

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"
)

// load is how hard a row is tried.
type load struct {
	callers int
	period  time.Duration
}

// outcome is what was measured. On a machine that has other work to do the
// processor time tells more than the rate does.
type outcome struct {
	rate, allocations float64
	p50, p99          time.Duration
	cpu               time.Duration // of a call
}

// better returns the faster of two, with the least that either took of the
// processor.
func (o outcome) better(other outcome) outcome {
	fast, slow := o, other
	if other.rate > o.rate {
		fast, slow = other, o
	}
	if slow.cpu != 0 {
		fast.cpu = min(fast.cpu, slow.cpu)
	}
	return fast
}

// run calls for a time.
func (l load) run(ctx context.Context, call func(context.Context) error) (outcome, error) {
	for range 10 * l.callers { // warm up
		if err := call(ctx); err != nil {
			return outcome{}, err
		}
	}
	var (
		all           sync.WaitGroup
		times         = make([][]time.Duration, l.callers)
		errs          = make([]error, l.callers)
		before, after runtime.MemStats
	)
	runtime.GC()
	runtime.ReadMemStats(&before)
	begun, used := time.Now(), processorTime()
	for i := range times {
		all.Go(func() {
			for errs[i] == nil && time.Since(begun) < l.period {
				one := time.Now()
				errs[i] = call(ctx)
				times[i] = append(times[i], time.Since(one))
			}
		})
	}
	all.Wait()
	took, used := time.Since(begun), processorTime()-used
	runtime.ReadMemStats(&after)
	for _, err := range errs {
		if err != nil {
			return outcome{}, err
		}
	}
	sorted := slices.Concat(times...)
	slices.Sort(sorted)
	n := len(sorted)
	return outcome{
		rate: float64(n) / took.Seconds(), allocations: float64(after.Mallocs-before.Mallocs) / float64(n),
		cpu: (used / time.Duration(n)).Round(100 * time.Nanosecond),
		p50: sorted[n/2].Round(time.Microsecond), p99: sorted[n*99/100].Round(time.Microsecond),
	}, nil
}

// processorTime returns what the process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // fails only for arguments that are wrong
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
