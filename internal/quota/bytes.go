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
	shrunk map[string]chan struct{} // by key, closed when it has fewer bytes; of those that are waited for
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
	return b.grow(key, n, perKey, all)
}

// grow does what Grow does. The lock is held.
func (b *Bytes) grow(key string, n, perKey, all int64) *Refusal {
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

// Wait does what Grow does when the key has room. It returns the refusal if ctx ends before, and at
// once if all keys have no room.
func (b *Bytes) Wait(ctx context.Context, key string, n, perKey, all int64) *Refusal {
	for {
		refused, shrunk := b.growOrWait(key, n, perKey, all)
		if shrunk == nil {
			return refused
		}
		select {
		case <-shrunk:
		case <-ctx.Done():
			return refused
		}
	}
}

// growOrWait does what Grow does. If the key has no room, shrunk is closed when it has fewer bytes.
func (b *Bytes) growOrWait(key string, n, perKey, all int64) (refused *Refusal, shrunk chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	refused = b.grow(key, n, perKey, all)
	if refused == nil || refused.Shared || refused.Used == 0 {
		return refused, nil
	}

	if b.shrunk[key] == nil {
		if b.shrunk == nil {
			b.shrunk = map[string]chan struct{}{}
		}
		b.shrunk[key] = make(chan struct{})
	}
	return refused, b.shrunk[key]
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
	if n < 0 && b.shrunk[key] != nil {
		close(b.shrunk[key])
		delete(b.shrunk, key)
	}
}

// All returns the bytes of all keys.
func (b *Bytes) All() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all
}
