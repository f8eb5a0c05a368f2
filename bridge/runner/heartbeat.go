package runner

import (
	"context"
	"time"
)

const (
	heartbeatEvery = 2 * time.Second
	leaseFor       = 10 * time.Second // that a replica holds its tasks without a heartbeat
	standstill     = int(leaseFor / heartbeatEvery)
	heartbeatFor   = 3 * time.Second // to write and read heartbeats
)

// leases keeps the leases of this replica, and takes over the tasks of replicas that died: those
// whose count stands still while we read it standstill times in a row. No clock is compared with
// another. While we do not reach the database, others may not reach it either, so we begin anew
// afterwards: a replica that lives has as long as a lease to be heard again.
type leases struct {
	runner *Runner
	own    int64 // our count
	seen   map[string]heartbeat
}

// heartbeat is the latest count of a replica, and how often it was read again since.
type heartbeat struct {
	count int64
	again int
}

// dead returns the last counts of the replicas that died, after all counts were read.
func (l *leases) dead(all map[string]int64) map[string]int64 {
	dead := map[string]int64{}
	seen := map[string]heartbeat{}
	for id, count := range all {
		last, known := l.seen[id]
		if known && last.count == count {
			last.again++
		} else {
			last = heartbeat{count: count}
		}
		if id != l.runner.Replica && last.again >= standstill {
			dead[id] = count
		}
		seen[id] = last
	}

	l.seen = seen
	return dead
}

// beat shows the other replicas that this one lives, and removes those that died.
func (l *leases) beat() error {
	ctx, cancel := context.WithTimeout(l.runner.running, heartbeatFor)
	defer cancel()
	l.own++
	all, err := l.runner.Leases.Heartbeat(ctx, l.runner.Replica, l.own)
	if err != nil {
		l.seen = nil // others may not reach the database either
		return err
	}
	return l.runner.Leases.RemoveReplicas(ctx, l.dead(all))
}

// join is the first heartbeat, before this replica holds a task. If no other process runs, the
// tasks of the processes before are taken over at once.
func (l *leases) join() {
	err := l.beat()
	if err == nil && l.runner.Alone {
		before := map[string]int64{}
		for id, last := range l.seen {
			before[id] = last.count
		}
		delete(before, l.runner.Replica)
		err = l.runner.Leases.RemoveReplicas(l.runner.running, before)
	}
	if err != nil {
		l.runner.logError("telling other replicas that this one lives", err)
	}
}
