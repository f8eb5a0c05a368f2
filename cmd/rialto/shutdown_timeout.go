package main

import (
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"time"
)

const (
	shutdownTimeout = 20 * time.Second // after the program was told to end: orchestrators wait for 30
	stackTimeout    = 2 * time.Second  // to say what it was doing
)

// forceExit ends a program that was told to end endFor ago, whatever it waits for, and
// says where: nothing of what it keeps needs an end in good order.
func forceExit() {
	time.Sleep(shutdownTimeout)
	said := make(chan struct{})
	go func() { // nobody may be reading
		defer close(said)
		writeStacks(os.Stderr)
	}()
	select {
	case <-said:
	case <-time.After(stackTimeout):
	}
	os.Exit(1)
}

// writeStacks writes what the program is doing.
func writeStacks(w io.Writer) {
	fmt.Fprintf(w, "rialto: still here %s after it was told to end, and ends now. This is what it was doing:\n\n", shutdownTimeout)
	_ = pprof.Lookup("goroutine").WriteTo(w, 1)
}
