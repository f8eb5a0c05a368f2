package runner

import (
	"context"
	"time"

	"rialto/bridge/ledger"
)

const (
	heartbeatEvery = 2 * time.Second
	leaseFor       = 10 * time.Second // that a replica holds its tasks without a heartbeat
	standstill     = int(leaseFor / heartbeatEvery)
	heartbeatFor   = 3 * time.Second // to write and read heartbeats
)

// heartbeats tells which other replicas died: those whose count stands still while we read it
// standstill times in a row. No clock is compared with another. While we do not reach the
// database, others may not reach it either, so we begin anew afterwards: a replica that lives has
// as long as a lease to be heard again. The zero value is ready.
type heartbeats struct {
	own  int64 // our count
	seen map[string]heard
}

// heard is the latest count of a replica, and how often it was read again since.
type heard struct {
	count int64
	again int
}

// dead returns the last counts of the replicas that died, after all counts were read.
func (h *heartbeats) dead(own string, all map[string]int64) map[string]int64 {
	dead, seen := map[string]int64{}, map[string]heard{}
	for id, count := range all {
		last, known := h.seen[id]
		if known && last.count == count {
			last.again++
		} else {
			last = heard{count: count}
		}
		if id != own && last.again >= standstill {
			dead[id] = count
		}
		seen[id] = last
	}
	h.seen = seen
	return dead
}

// counts returns the counts that were seen last.
func (h *heartbeats) counts() map[string]int64 {
	all := map[string]int64{}
	for id, last := range h.seen {
		all[id] = last.count
	}
	return all
}

// beat shows the other replicas that replica lives, and removes those that died.
func (h *heartbeats) beat(ctx context.Context, leases ledger.Leases, replica string) error {
	ctx, cancel := context.WithTimeout(ctx, heartbeatFor)
	defer cancel()
	h.own++
	all, err := leases.Heartbeat(ctx, replica, h.own)
	if err != nil {
		h.seen = nil // others may not reach the database either
		return err
	}
	return leases.RemoveReplicas(ctx, h.dead(replica, all))
}

// join is the first heartbeat, before this replica holds a task. If no other process runs, the
// tasks of the processes before are taken over at once.
func (r *Runner) join() {
	err := r.hearts.beat(r.running, r.Leases, r.Replica)
	if err == nil && r.Alone {
		before := r.hearts.counts()
		delete(before, r.Replica)
		err = r.Leases.RemoveReplicas(r.running, before)
	}
	if err != nil {
		r.logError("telling other replicas that this one lives", err)
	}
}
