package mcp

import "sync"

// limiter counts what each principal has open. The zero value is ready.
type limiter struct {
	mu   sync.Mutex
	open map[string]int
}

// enter takes one of most places for the principal. It does not wait: a client
// that is told "too many" can, and a queue of ours would only hide how long.
func (l *limiter) enter(principal string, most int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[principal] >= most {
		return false
	}
	if l.open == nil {
		l.open = map[string]int{}
	}
	l.open[principal]++
	return true
}

// leave gives the place back.
func (l *limiter) leave(principal string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[principal]--; l.open[principal] <= 0 {
		delete(l.open, principal)
	}
}
