package quota

import (
	"context"
	"sync"
)

// Bytes counts the bytes that are held, by key and in all. It is safe for concurrent use, and its zero
// value is ready.
type Bytes struct {
	mu    sync.Mutex
	all   int64
	of    map[string]int64
	waits map[string]*waits // by key, while callers wait for it
}

// waits are callers that wait until a key has fewer bytes.
type waits struct {
	callers int
	shrunk  chan struct{} // closed then
}

// maxWaits bounds the callers that wait for one key: all of them look when it has fewer bytes.
const maxWaits = 64

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
// once if all keys have no room, or if maxWaits callers wait for the key.
func (b *Bytes) Wait(ctx context.Context, key string, n, perKey, all int64) *Refusal {
	for {
		refused, w := b.growOrWait(key, n, perKey, all)
		if w == nil {
			return refused
		}
		select {
		case <-w.shrunk:
		case <-ctx.Done():
			b.mu.Lock()
			defer b.mu.Unlock()
			w.callers--
			return refused
		}
	}
}

// growOrWait does what Grow does. If the key has no room, it returns what to wait for.
func (b *Bytes) growOrWait(key string, n, perKey, all int64) (*Refusal, *waits) {
	b.mu.Lock()
	defer b.mu.Unlock()
	refused := b.grow(key, n, perKey, all)
	if refused == nil || refused.Shared || refused.Used == 0 {
		return refused, nil
	}
	if b.waits == nil {
		b.waits = map[string]*waits{}
	}

	w := b.waits[key]
	if w == nil {
		w = &waits{shrunk: make(chan struct{})}
		b.waits[key] = w
	}
	if w.callers == maxWaits {
		return refused, nil
	}

	w.callers++
	return refused, w
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
	if w := b.waits[key]; n < 0 && w != nil {
		close(w.shrunk)
		delete(b.waits, key)
	}
}

// All returns the bytes of all keys.
func (b *Bytes) All() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all
}
