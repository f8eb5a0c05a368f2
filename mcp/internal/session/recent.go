package session

import "sync"

// maxRecent is how many notes are kept by default.
const maxRecent = 4096

// Recent keeps a note for each of the sessions that got one last. The zero value is ready.
type Recent[T any] struct {
	Max int // zero means maxRecent

	mu    sync.Mutex
	notes map[string]T
	order []string // a ring
	next  int
}

// Update replaces the note under key by what change returns for it.
func (r *Recent[T]) Update(key string, change func(T) T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	note, known := r.notes[key]
	if r.notes == nil {
		r.notes = map[string]T{}
	}
	limit := r.Max
	if limit == 0 {
		limit = maxRecent
	}
	r.notes[key] = change(note)
	switch {
	case known:
	case len(r.order) < limit:
		r.order = append(r.order, key)
	default:
		delete(r.notes, r.order[r.next])
		r.order[r.next] = key
		r.next = (r.next + 1) % len(r.order)
	}
}

// Put sets the note under key.
func (r *Recent[T]) Put(key string, note T) { r.Update(key, func(T) T { return note }) }

// Get returns the note under key.
func (r *Recent[T]) Get(key string) (note T, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	note, ok = r.notes[key]
	return note, ok
}
