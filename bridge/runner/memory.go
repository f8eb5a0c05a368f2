package runner

import (
	"context"
	"math"
	"sync"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/internal/quota"
)

const (
	largeTask   = 256 << 10 // bytes: larger tasks give way to others
	streamRate  = 16 << 20  // bytes that agents may stream per second to the tasks of one user
	streamBurst = 4 << 20
)

// memory counts the bytes of running tasks and of answers that are received, by owner and in all, and slows down agents that stream
// more than streamRate to one user: to decode it all would keep the processor from others. The zero
// value is empty.
type memory struct {
	mu     sync.Mutex
	all    int
	owners map[string]*ownerMemory

	received quota.Rate
}

type ownerMemory struct {
	bytes, tasks int
}

// enter notes that a task of owner runs.
func (m *memory) enter(owner string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.owners == nil {
		m.owners = map[string]*ownerMemory{}
	}
	if m.owners[owner] == nil {
		m.owners[owner] = &ownerMemory{}
	}
	m.owners[owner].tasks++
}

// leave notes that a task of owner with so many bytes runs no longer.
func (m *memory) leave(owner string, bytes int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	o := m.owners[owner]
	m.all -= bytes
	o.bytes -= bytes
	if o.tasks--; o.tasks == 0 {
		delete(m.owners, owner)
	}
}

// resize notes that a task of owner has other bytes than before. It returns why the task must end,
// if it must: it is too large, or the tasks of its owner are, or those of all owners.
func (m *memory) resize(owner string, from, to int, most Limits) *ledger.Failure {
	m.mu.Lock()
	defer m.mu.Unlock()
	o := m.owners[owner]
	if o == nil {
		return nil // the task runs no longer
	}
	m.all += to - from
	o.bytes += to - from
	switch {
	case to > most.TaskSize:
		return ledger.Fail(a2a.InvalidAgentResponse, "The task holds more than %d MiB, and was cut there.", most.TaskSize>>20)
	case o.bytes > most.MemoryPerUser:
		return ledger.Fail(a2a.RateLimited, "Your running tasks hold more than %d MiB (limits.memory_per_user). This one was cut there; what the agent sent before is kept.", most.MemoryPerUser>>20)
	case m.all > most.Memory && to > largeTask:
		return ledger.Fail(a2a.RateLimited, "All running tasks hold more than %d MiB (limits.memory). This one was cut there; what the agent sent before is kept.", most.Memory>>20)
	}
	return nil
}

// Reserve notes that an answer that is being received for owner holds to bytes, after from. It returns
// an error if the answer must end. Until it has ended, it counts as a running task.
func Reserve(r *Runner, owner string, from, to int) error {
	if from == 0 {
		r.memory.enter(owner)
	}
	if to == 0 {
		r.memory.leave(owner, from)
		return nil
	}
	most := r.limits()
	most.TaskSize = math.MaxInt // the answer has a limit of its own
	if why := r.memory.resize(owner, from, to, most); why != nil {
		return &a2a.Error{Code: why.Code, Message: why.Message, Cause: a2a.ErrTooLarge}
	}
	return nil
}

// pace waits until the agents of owner may stream so many more bytes.
func (m *memory) pace(ctx context.Context, owner string, bytes int) {
	b := quota.Bucket{Burst: streamBurst, Window: time.Second * streamBurst / streamRate}
	_ = m.received.Wait(ctx, b, owner, bytes) // it fails when ctx ends, which the caller sees, too
}
