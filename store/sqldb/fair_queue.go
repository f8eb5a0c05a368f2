package sqldb

import (
	"context"
	"errors"

	"rialto/internal/quota"
)

// FairQueue shares the connections that read between users: one user has at most half of them,
// and users who wait take turns. So slow or many statements of one user delay another's by
// one statement at most.
type FairQueue struct {
	size  int
	queue quota.Queue
}

// Acquire waits for the turn of a user, who must have none already in the same call. Call done
// when the rows are read.
func (t *FairQueue) Acquire(ctx context.Context, user string) (done func(), err error) {
	if t == nil {
		return func() {}, nil
	}
	room := quota.Room{Running: t.size, PerKey: max(1, t.size/2), Waiting: MaxWaiting}
	done, err = t.queue.Acquire(ctx, user, room)
	if _, full := errors.AsType[*quota.Refusal](err); full {
		return nil, errFull
	}
	return done, Classify(err)
}
