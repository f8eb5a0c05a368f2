package mcp

import (
	"context"
	"slices"
	"sync"

	"rialto/internal/jsonrpc"
)

// Change is something that clients can be told of: see Server.Changed.
type Change struct{ method, uri string }

// ToolsChanged is the change of the tools that Server.Visible lets somebody
// see.
func ToolsChanged() Change { return Change{method: "notifications/tools/list_changed"} }

// ResourceUpdated is the change of what a resource holds.
func ResourceUpdated(uri string) Change {
	return Change{method: "notifications/resources/updated", uri: uri}
}

// Changed tells the clients of the principals that something has changed, or
// everybody's clients if none is named. Only those hear of it that listen, on
// this replica; who must know in any case has to ask. It does not wait for
// them.
func (s *Server) Changed(c Change, principals ...string) { s.listeners.tell(c, principals) }

// listeners are the streams that are open for changes. The zero value is
// ready. It is bounded by the limit on subscription streams.
type listeners struct {
	mu  sync.Mutex
	all map[*listener]bool
}

// listener is one such stream. Of a change that happens again before the first
// was sent it is told once; so what is pending is no more than what it wants.
type listener struct {
	principal string
	wants     func(Change) bool
	pending   []Change
	wake      chan struct{}
}

func (ls *listeners) tell(c Change, principals []string) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	for l := range ls.all {
		if len(principals) > 0 && !slices.Contains(principals, l.principal) || !l.wants(c) || slices.Contains(l.pending, c) {
			continue
		}
		l.pending = append(l.pending, c)
		select {
		case l.wake <- struct{}{}:
		default: // it is awake
		}
	}
}

// add begins to note the changes that the principal's stream wants, until the
// function that it returns is called.
func (ls *listeners) add(principal string, wants func(Change) bool) (l *listener, remove func()) {
	l = &listener{principal: principal, wants: wants, wake: make(chan struct{}, 1)}
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if ls.all == nil {
		ls.all = map[*listener]bool{}
	}
	ls.all[l] = true
	return l, func() {
		ls.mu.Lock()
		defer ls.mu.Unlock()
		delete(ls.all, l)
	}
}

// serve sends the changes that are noted until the context ends.
func (ls *listeners) serve(ctx context.Context, l *listener, send func(method string, params []byte)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
			for _, c := range ls.take(l) {
				send(c.method, c.params())
			}
		}
	}
}

func (ls *listeners) take(l *listener) []Change {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	pending := l.pending
	l.pending = nil
	return pending
}

// params returns the members of the notification's params.
func (c Change) params() []byte {
	if c.uri == "" {
		return nil
	}
	return jsonrpc.AppendString([]byte(`"uri":`), c.uri)
}
