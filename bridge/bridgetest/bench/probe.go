package main

import (
	"encoding/json"
	"net"
	"net/http"
	_ "net/http/pprof" // the probe serves profiles, too
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// probed is what a process tells of itself.
type probed struct {
	Mallocs   uint64
	Processor time.Duration // that it has used
	Memory    int64         // resident, in bytes
	Peak      int64         // the most that was
}

// This file is built into the program, too (see rialto.go): nobody there calls
// it, so it begins by itself, in processes that the bench has started. It serves
// what the process has used on the Unix socket that the environment names.
func init() {
	path := os.Getenv(probeVariable)
	if path == "" {
		return
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		panic(err)
	}
	http.HandleFunc("/probe", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("collect") {
			debug.FreeOSMemory()
		}
		_ = json.NewEncoder(w).Encode(probe())
	})
	go http.Serve(l, nil)
}

const probeVariable = "BENCH_PROBE"

func probe() (p probed) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	p.Mallocs = m.Mallocs
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // fails only for arguments that are wrong
	p.Processor = time.Duration(u.Utime.Nano() + u.Stime.Nano())
	status, _ := os.ReadFile("/proc/self/status") // not there but on Linux: no memory is told
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch name {
		case "VmRSS":
			p.Memory = kib << 10
		case "VmHWM":
			p.Peak = kib << 10
		}
	}
	return p
}
