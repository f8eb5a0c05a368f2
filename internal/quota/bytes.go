package quota

import (
	"context"
	"sync"
)

// Bytes counts the bytes that are held, by key and in all. It is safe for concurrent use, and its zero
// value is ready.
type Bytes struct {
	mu     sync.Mutex
	all    int64
	of     map[string]int64
	shrunk chan struct{} // closed when a key has fewer bytes; nil if there is no waiter
}

// Add counts n more bytes for a key, or fewer if n is negative, whatever the limits are.
func (b *Bytes) Add(key string, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(key, n)
}

// Check returns the limit that the bytes of a key exceed, or those of all keys, if they do.
func (b *Bytes) Check(key string, perKey, all int64) *Refusal {
	return b.Grow(key, 0, perKey, all)
}

// Grow counts n more bytes for a key, unless the key or all keys would exceed a limit then.
func (b *Bytes) Grow(key string, n, perKey, all int64) *Refusal {
	b.mu.Lock()
	defer b.mu.Unlock()
	used := b.of[key]
	switch {
	case used+n > perKey:
		return &Refusal{Limit: int(perKey), Used: int(used)}
	case b.all+n > all:
		return &Refusal{Shared: true, Limit: int(all), Used: int(b.all)}
	}

	b.add(key, n)
	return nil
}

// Wait does what Grow does when there is room. It returns the refusal if ctx ends before.
func (b *Bytes) Wait(ctx context.Context, key string, n, perKey, all int64) *Refusal {
	for {
		shrunk := b.shrink()
		refused := b.Grow(key, n, perKey, all)
		if refused == nil {
			return nil
		}
		select {
		case <-shrunk:
		case <-ctx.Done():
			return refused
		}
	}
}

// shrink returns a channel that is closed when a key has fewer bytes.
func (b *Bytes) shrink() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shrunk == nil {
		b.shrunk = make(chan struct{})
	}
	return b.shrunk
}

func (b *Bytes) add(key string, n int64) {
	if b.of == nil {
		b.of = map[string]int64{}
	}

	b.all += n
	b.of[key] += n
	if b.of[key] == 0 {
		delete(b.of, key)
	}
	if n < 0 && b.shrunk != nil {
		close(b.shrunk)
		b.shrunk = nil
	}
}

// All returns the bytes of all keys.
func (b *Bytes) All() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all
}
