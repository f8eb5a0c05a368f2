package main

import (
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"time"
)

const (
	endFor    = 20 * time.Second // after the program was told to end: orchestrators wait for 30
	lastWords = 2 * time.Second  // to say what it was doing
)

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
