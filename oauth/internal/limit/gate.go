package limit

import (
	"context"
	"sync"
)

// Gate lets a few through at a time. Its zero value is open.
type Gate struct {
	once   sync.Once
	places chan struct{}
}

// Enter waits for one of n places, of which there are always as many; leave
// gives it back.
func (g *Gate) Enter(ctx context.Context, n int) (leave func(), err error) {
	g.once.Do(func() { g.places = make(chan struct{}, n) })
	select {
	case g.places <- struct{}{}:
		return func() { <-g.places }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
