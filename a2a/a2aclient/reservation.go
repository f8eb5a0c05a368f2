package a2aclient

import (
	"cmp"
	"io"
	"sync"
)

// reserveStep is how much of an answer is held before MemoryQuota.Reserve is called, and between its calls.
const reserveStep = 64 << 10

// reservation is the memory that an answer takes while it is received. Nil bounds nothing.
type reservation struct {
	quota MemoryQuota
	user  string

	mu     sync.Mutex
	kept   int // bytes of events that are not yielded yet
	last   int // bytes of the event that is read
	held   int // bytes of both that are reserved
	closed bool
}

// reservation returns what an answer to c is counted in.
func (c *Client) reservation() *reservation {
	if c.dialer.Memory == nil || c.user == "" {
		return nil
	}
	return &reservation{quota: c.dialer.Memory, user: c.user}
}

// hold notes that n bytes are held of the event that is read.
func (r *reservation) hold(n int) error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = n
	return r.change(r.kept + n)
}

// change is called with r.mu held.
func (r *reservation) change(n int) error {
	from := r.held
	to := n - n%reserveStep
	if from == to || r.closed {
		return nil
	}
	r.held = to
	return r.quota.Reserve(r.user, from, to)
}

// keep keeps the memory of the event that was read last until free.
func (r *reservation) keep() {
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.kept += r.last
		r.last = 0
	}
}

// free gives the memory back, because what was read counts where it goes.
func (r *reservation) free() { r.release(false) }

// close gives the memory back and takes no more.
func (r *reservation) close() { r.release(true) }

func (r *reservation) release(last bool) {
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.kept = 0
		r.last = 0
		_ = r.change(0) // to take less cannot fail
		r.closed = r.closed || last
	}
}

// reservedReader reads a whole answer.
type reservedReader struct {
	io.Reader
	memory *reservation
	read   int
}

func (r *reservedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.read += n
	return n, cmp.Or(r.memory.hold(r.read), err)
}
