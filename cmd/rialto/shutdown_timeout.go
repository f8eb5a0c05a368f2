package main

import (
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"time"
)

const (
	shutdownTimeout = 20 * time.Second // orchestrators kill after 30 seconds
	stackTimeout    = 2 * time.Second  // to print the stacks
)

// forceExit ends the program if it does not stop within shutdownTimeout and delay, and prints the
// stacks of its goroutines. No state is lost: the program is safe to kill.
func forceExit(delay time.Duration) {
	time.Sleep(delay + shutdownTimeout)
	said := make(chan struct{})
	go func() { // writing blocks if stderr is not read
		defer close(said)
		writeStacks(os.Stderr)
	}()
	select {
	case <-said:
	case <-time.After(stackTimeout):
	}

	os.Exit(1)
}

// writeStacks prints what the program is doing.
func writeStacks(w io.Writer) {
	fmt.Fprintf(
		w,
		"rialto: did not stop within %s, exiting now. These are its goroutines:\n\n",
		shutdownTimeout,
	)
	_ = pprof.Lookup("goroutine").WriteTo(w, 1)
}
