package mcp

import "sync"

// mostRecent is how many sessions' notes are kept at one time.
const mostRecent = 4096

// recent keeps a note for each of the sessions that last had one. A session
// that has been forgotten is one of which nothing was noted. The zero value is
// ready.
type recent[T any] struct {
	most  int // zero means mostRecent
	mu    sync.Mutex
	notes map[string]T
	order []string // a ring
	next  int
}

// update notes what how makes of the note so far.
func (r *recent[T]) update(nonce string, how func(T) T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	note, known := r.notes[nonce]
	if r.notes == nil {
		r.notes = map[string]T{}
	}
	r.notes[nonce] = how(note)
	switch {
	case known:
	case len(r.order) < or(r.most, mostRecent):
		r.order = append(r.order, nonce)
	default:
		delete(r.notes, r.order[r.next])
		r.order[r.next] = nonce
		r.next = (r.next + 1) % len(r.order)
	}
}

func (r *recent[T]) put(nonce string, note T) { r.update(nonce, func(T) T { return note }) }

func (r *recent[T]) get(nonce string) (note T, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	note, ok = r.notes[nonce]
	return note, ok
}
