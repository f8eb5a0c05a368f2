package runner

import (
	"context"
	"math"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/internal/quota"
)

const (
	largeTask   = 256 << 10 // bytes: larger tasks give way to others
	streamRate  = 16 << 20  // bytes that agents may stream per second to the tasks of one user
	streamBurst = 4 << 20
	leastEvent  = 2 << 10 // bytes that a smaller event counts as, because each takes a processor some time
)

// memory counts the bytes of running tasks and of answers that are received, by owner and in all,
// and slows down agents that stream more than streamRate to one user: to decode it all would keep
// the processor from others. The zero value is empty.
type memory struct {
	held     quota.Bytes
	received quota.Rate
}

// leave notes that a task of owner with so many bytes runs no longer.
func (m *memory) leave(owner string, bytes int) { m.held.Add(owner, -int64(bytes)) }

// resize notes that a task of owner has other bytes than before. It returns why the task must end,
// if it must: it is too large, or the tasks of its owner are, or those of all owners.
func (m *memory) resize(owner string, from, to int, most Limits) *ledger.Failure {
	m.held.Add(owner, int64(to-from))
	all := most.Memory
	if to <= largeTask {
		all = quota.Unlimited
	}

	refused := m.held.Check(owner, int64(most.MemoryPerUser), int64(all))
	switch {
	case to > most.TaskSize:
		return ledger.Fail(
			a2a.InvalidAgentResponse,
			"The task holds more than %d MiB, and was cut there.",
			most.TaskSize>>20,
		)
	case refused == nil:
		return nil
	case refused.Shared:
		return ledger.Fail(
			a2a.RateLimited,
			"All running tasks hold more than %d MiB (limits.memory). "+
				"This one was cut there; what the agent sent before is kept.",
			most.Memory>>20,
		)
	default:
		return ledger.Fail(
			a2a.RateLimited,
			"Your running tasks hold more than %d MiB (limits.memory_per_user). This one was cut there; what the agent sent before is kept.",
			most.MemoryPerUser>>20,
		)
	}
}

// Reserve notes that an answer that is being received for owner holds to bytes, after from. It
// returns an error if the answer must end. Until it has ended, it counts as a running task.
func Reserve(r *Runner, owner string, from, to int) error {
	most := r.Limits.inForce()
	most.TaskSize = math.MaxInt // the answer has a limit of its own
	why := r.quotas.memory.resize(owner, from, to, most)
	if why == nil || to == 0 {
		return nil
	}
	return &a2a.Error{
		Code:    why.Code,
		Message: why.Message,
		Cause:   a2a.ErrTooLarge,
	}
}

// throttle waits until the agents of owner may stream an event of so many bytes.
func (m *memory) throttle(ctx context.Context, owner string, bytes int) {
	b := quota.Bucket{Burst: streamBurst, Window: time.Second * streamBurst / streamRate}
	_ = m.received.Wait(ctx, b, owner, max(bytes, leastEvent)) // it fails when ctx ends, which the caller sees, too
}
