package runner

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/internal/bytesize"
	"rialto/internal/i18n"
)

const (
	storageTTL     = time.Minute     // that a sum counts before the ledger is asked again
	storageRecheck = 5 * time.Second // the same before a task is refused or cut
	storageTimeout = 5 * time.Second // to read a sum
	maxUsages      = 10_000          // sums that are kept
)

// storageQuota knows how many bytes users and agents have in the ledger. It asks the ledger at most
// once a minute for each, and adds what the tasks of this process have grown since, so that a task
// costs no statement. What other replicas write is seen within that minute. runner is required.
type storageQuota struct {
	runner *Runner

	mu sync.Mutex
	of map[quotaKey]*usage
}

// quotaKey is a user or an agent.
type quotaKey struct{ owner, agent string }

type usage struct {
	sum, grown int64
	asked      time.Time // the ledger, when
}

// grow notes that a task of owner at agent has other bytes than before.
func (s *storageQuota) grow(owner, agent string, from, to int) {
	by := counted(to) - counted(from)
	if by == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range []quotaKey{{owner: owner}, {agent: agent}} {
		s.bytes(key).grown += by
	}
}

// counted returns how many of a task's bytes count.
func counted(bytes int) int64 {
	if bytes <= ledger.SmallTask {
		return 0
	}
	return int64(bytes)
}

// bytes returns those of a user or an agent. The caller holds s.mu.
func (s *storageQuota) bytes(key quotaKey) *usage {
	if b := s.of[key]; b != nil {
		return b
	}
	if s.of == nil || len(s.of) >= maxUsages {
		s.of = map[quotaKey]*usage{} // all are read again
	}
	b := &usage{}
	s.of[key] = b
	return b
}

// exceeds reports whether a user or an agent has more bytes than most. It asks the ledger if the
// last answer is old and, before it reports too many, if it is older than that.
func (s *storageQuota) exceeds(ctx context.Context, key quotaKey, most int64) (bool, error) {
	for _, within := range []time.Duration{storageTTL, storageRecheck} {
		n, err := s.read(ctx, key, within)
		if n < most || err != nil {
			return false, err
		}
	}
	return true, nil
}

// read returns the bytes of a user or an agent. While the ledger is asked, others get what
// was known before.
func (s *storageQuota) read(
	ctx context.Context, key quotaKey, within time.Duration,
) (int64, error) {
	now := s.runner.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.bytes(key)
	if now.Sub(b.asked) < within {
		return b.sum + b.grown, nil
	}
	grown := b.grown
	b.asked = now
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, storageTimeout)
	sum, err := s.runner.Ledger.StoredBytes(ctx, key.owner, key.agent)
	cancel()
	s.mu.Lock()
	if err != nil {
		b.asked = now.Add(storageRecheck - storageTTL) // not at each event
		return 0, fmt.Errorf("counting stored bytes: %w", err)
	}

	b.sum = sum
	b.grown -= grown
	return b.sum + b.grown, nil
}

// exceeded returns whose quota the tasks of owner at agent have used up, and how much it is; "" if
// there is room, or the ledger cannot say.
func (s *storageQuota) exceeded(
	ctx context.Context, owner, agent string, limits Limits,
) (of quotaKey, most string) {
	for _, quota := range [...]struct {
		of   quotaKey
		most int64
	}{{quotaKey{owner: owner}, limits.StoredPerUser}, {quotaKey{agent: agent}, limits.StoredPerAgent}} {
		if quota.most == 0 {
			continue
		}
		over, err := s.exceeds(ctx, quota.of, quota.most)
		if err != nil {
			s.runner.logError("looking at a quota", err)
		}
		if over {
			return quota.of, bytesize.Format(quota.most)
		}
	}

	return quotaKey{}, ""
}

// check returns an error if a message for a task of owner at agent must not be sent.
func (s *storageQuota) check(
	ctx context.Context, owner, agent string, limits Limits,
) error {
	switch of, most := s.exceeded(ctx, owner, agent, limits); {
	case most == "":
		return nil
	case of.owner != "":
		return &limitError{
			i18n.New(
				"Your tasks take up the %s that a user may store (limits.stored_per_user). Nothing was sent. "+
					"There is room again when old tasks are deleted; the operator can shorten how long they are kept, or raise the limit.",
				most,
			),
			http.StatusTooManyRequests,
		}
	default:
		return &limitError{
			i18n.New(
				"The tasks of the agent %s take up the %s that an agent may store (limits.stored_per_agent). Nothing was sent. "+
					"Choose another agent, or ask the operator to shorten how long its tasks are kept, or to raise the limit.",
				agent,
				most,
			),
			http.StatusTooManyRequests,
		}
	}
}

// checkGrowth returns why a task that has grown must end, if it must.
func (s *storageQuota) checkGrowth(owner, agent string, limits Limits) *ledger.Failure {
	switch of, most := s.exceeded(s.runner.running, owner, agent, limits); {
	case most == "":
		return nil
	case of.owner != "":
		return ledger.Fail(
			a2a.RateLimited,
			"Your tasks take up the %s that a user may store (limits.stored_per_user). "+
				"This one was cut there; what the agent sent before is kept.",
			most,
		)
	default:
		return ledger.Fail(
			a2a.RateLimited,
			"The tasks of this agent take up the %s that an agent may store (limits.stored_per_agent). "+
				"This one was cut there; what the agent sent before is kept.",
			most,
		)
	}
}
