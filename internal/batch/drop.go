package batch

import (
	"context"
	"time"
)

// shareForOthers is how many times as long as a deletion took its database is left to others.
const shareForOthers = 4

// Drop deletes records, size at a time, until there are fewer. It pauses in between, so that those who
// write for users need not wait for it.
func Drop(ctx context.Context, size int, drop func(size int) (int, error)) error {
	for {
		begun := time.Now()
		n, err := drop(size)
		if err != nil || n < size {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(shareForOthers * time.Since(begun)):
		}
	}
}
