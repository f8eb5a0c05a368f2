package limit

import (
	"context"
	"sync"
)

// Gate bounds what runs at once. Its zero value is open.
type Gate struct {
	once   sync.Once
	places chan struct{}
}

// Enter waits for one of n places; leave frees it. All calls must pass the same
// n.
func (g *Gate) Enter(ctx context.Context, n int) (leave func(), err error) {
	g.once.Do(func() { g.places = make(chan struct{}, n) })
	select {
	case g.places <- struct{}{}:
		return func() { <-g.places }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
