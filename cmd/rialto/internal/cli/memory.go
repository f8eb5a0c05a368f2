package cli

import (
	"context"
	"log/slog"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// limitMemory makes the garbage collector keep below nine tenths of the container's memory, unless
// GOMEMLIMIT is set. Without a container there is no limit.
func limitMemory(log *slog.Logger) {
	limit, err := memlimit.Set()
	log.Debug("limiting memory", "bytes", limit, "err", err)
}

// When memory is returned to the system.
const (
	releaseInterval = 2 * time.Second
	releaseAfter    = 64 << 20 // bytes that were allocated since memory was returned last
	releaseIdle     = 32 << 20 // bytes that a server that is not busy allocates in releaseInterval
)

// releaseMemory returns memory to the system when a busy server has become idle, until ctx ends. The
// garbage collector runs when the heap has doubled, and otherwise every two minutes: after large
// messages the program kept 200 MiB until then. It returns memory twice, because what the last requests
// used, and what is pooled, is not free the first time.
func releaseMemory(ctx context.Context) {
	tick := time.NewTicker(releaseInterval)
	defer tick.Stop()
	var released, before uint64
	again := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := allocated()
		much := now-released > releaseAfter
		if (much || again) && now-before < releaseIdle {
			debug.FreeOSMemory()
			released = now
			again = much
		}
		before = now
	}
}

// allocated returns how many bytes the program has allocated so far, in all.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
