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
	fewer map[string]chan struct{} // of keys that callers wait for: closed when they have fewer bytes
}

// Add counts n more bytes for a key, or fewer if n is negative, whatever the limits are.
func (b *Bytes) Add(key string, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(key, n)
}

// Check returns the limit that the bytes of a key exceed, or those of all keys, if they do.
func (b *Bytes) Check(key string, perKey, all int64) *Refusal {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.check(key, 0, perKey, all)
}

// Grow counts n more bytes for a key, unless the key or all keys would exceed a limit then.
func (b *Bytes) Grow(key string, n, perKey, all int64) *Refusal {
	b.mu.Lock()
	defer b.mu.Unlock()
	refused := b.check(key, n, perKey, all)
	if refused == nil {
		b.add(key, n)
	}
	return refused
}

// Wait counts n more bytes for a key, when it does not exceed a limit with them. It returns false if ctx
// ends before. n must not exceed the limit alone.
func (b *Bytes) Wait(ctx context.Context, key string, n, perKey int64) bool {
	for {
		fewer := b.grow(key, n, perKey)
		if fewer == nil {
			return true
		}
		select {
		case <-fewer:
		case <-ctx.Done():
			return false
		}
	}
}

// grow does what Grow does, for Wait. If the key has too many bytes, it returns what is closed when the
// key has fewer.
func (b *Bytes) grow(key string, n, perKey int64) (fewer <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.check(key, n, perKey, Unlimited) == nil {
		b.add(key, n)
		return nil
	}
	if b.fewer == nil {
		b.fewer = map[string]chan struct{}{}
	}
	if b.fewer[key] == nil {
		b.fewer[key] = make(chan struct{})
	}
	return b.fewer[key]
}

func (b *Bytes) check(key string, more, perKey, all int64) *Refusal {
	if used := b.of[key]; used+more > perKey {
		return &Refusal{Limit: int(perKey), Used: int(used)}
	}
	if b.all+more > all {
		return &Refusal{Shared: true, Limit: int(all), Used: int(b.all)}
	}
	return nil
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
	if fewer := b.fewer[key]; n < 0 && fewer != nil {
		close(fewer)
		delete(b.fewer, key)
	}
}

// All returns the bytes of all keys.
func (b *Bytes) All() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all
}
