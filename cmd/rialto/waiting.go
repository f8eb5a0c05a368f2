package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/pprof"
	"sync"
	"time"
)

const (
	sayEvery  = 5 * time.Second  // that something takes, the log says what it is
	startFor  = 30 * time.Second // each thing that a start asks the database
	endFor    = 20 * time.Second // after the program was told to end: orchestrators wait for 30
	lastWords = 2 * time.Second  // to say what it was doing
)

// awaited does what may take long, and as long as it does says so.
func awaited(log *slog.Logger, what string, do func() error) error {
	var saying sync.WaitGroup
	done, begun := make(chan struct{}), time.Now()
	saying.Go(func() {
		tick := time.NewTicker(sayEvery)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				log.Warn("still waiting", "for", what, "since", begun)
			}
		}
	})
	defer saying.Wait()
	defer close(done)
	return do()
}

// await does so with what cannot fail.
func (s *server) await(what string, do func()) {
	_ = awaited(s.log, what, func() error { do(); return nil })
}

// asked does what a start asks the database, within startFor.
func asked(ctx context.Context, log *slog.Logger, what string, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, startFor)
	defer cancel()
	return awaited(log, what, func() error { return do(ctx) })
}

// endAnyway ends a program that was told to end endFor ago, whatever it waits for, and
// says where: nothing of what it keeps needs an end in good order.
func endAnyway() {
	time.Sleep(endFor)
	said := make(chan struct{})
	go func() { // nobody may be reading
		defer close(said)
		confess(os.Stderr)
	}()
	select {
	case <-said:
	case <-time.After(lastWords):
	}
	os.Exit(1)
}

// confess writes what the program is doing.
func confess(w io.Writer) {
	fmt.Fprintf(w, "rialto: still here %s after it was told to end, and ends now. This is what it was doing:\n\n", endFor)
	_ = pprof.Lookup("goroutine").WriteTo(w, 1)
}
