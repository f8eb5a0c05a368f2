package mcp

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"rialto/internal/jsonrpc"
)

// Change is something that clients can be told of: see Server.Changed.
type Change struct{ method, uri string }

// ToolsChanged is the change of the tools that Server.Visible lets somebody
// see.
func ToolsChanged() Change { return Change{method: "notifications/tools/list_changed"} }

// ResourcesChanged is the change of what Server.ListResources lists for
// somebody.
func ResourcesChanged() Change { return Change{method: "notifications/resources/list_changed"} }

// ResourceUpdated is the change of what a resource holds, and with it those
// below: whose URIs go on from this one with a slash.
func ResourceUpdated(uri string) Change {
	return Change{method: "notifications/resources/updated", uri: uri}
}

// among returns what of the change those are told who asked for the URIs.
func (c Change) among(uris []string) (told []Change) {
	for _, uri := range uris {
		if rest, ok := strings.CutPrefix(uri, c.uri); ok && (rest == "" || rest[0] == '/') {
			told = append(told, Change{c.method, uri})
		}
	}
	return told
}

// Changed tells the clients of the owners (see Server.Owner) that something
// has changed, or everybody's clients if none is named. Only those hear of it
// that listen, on this replica; who must know in any case has to ask. It does
// not wait for them.
func (s *Server) Changed(c Change, owners ...string) { s.listeners.tell(c, owners) }

func (s *Server) owner(principal string) string {
	if s.Owner == nil {
		return principal
	}
	return s.Owner(principal)
}

// listeners are the streams that are open for changes, by the owner that is
// told. The zero value is ready. It is bounded by the limit on subscription
// streams.
type listeners struct {
	mu  sync.Mutex
	all map[string]map[*listener]bool
}

// listener is one such stream. Of a change that happens again before the first
// was sent it is told once; so what is pending is no more than what it wants.
type listener struct {
	wants   func(Change) []Change // what of a change it is told
	may     func(uri string) bool // of a resource that it asked for
	pending []Change
	wake    chan struct{}
}

func (ls *listeners) tell(c Change, owners []string) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if len(owners) == 0 {
		owners = slices.Collect(maps.Keys(ls.all))
	}
	for _, owner := range owners {
		for l := range ls.all[owner] {
			l.note(l.wants(c))
		}
	}
}

// note is called with the lock of the listeners held.
func (l *listener) note(changes []Change) {
	for _, c := range changes {
		if slices.Contains(l.pending, c) {
			continue
		}
		l.pending = append(l.pending, c)
		select {
		case l.wake <- struct{}{}:
		default: // it is awake
		}
	}
}

// add begins to note the changes that the owner's stream wants, until the
// function that it returns is called.
func (ls *listeners) add(owner string, wants func(Change) []Change, may func(uri string) bool) (l *listener, remove func()) {
	l = &listener{wants: wants, may: may, wake: make(chan struct{}, 1)}
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if ls.all == nil {
		ls.all = map[string]map[*listener]bool{}
	}
	if ls.all[owner] == nil {
		ls.all[owner] = map[*listener]bool{}
	}
	ls.all[owner][l] = true
	return l, func() {
		ls.mu.Lock()
		defer ls.mu.Unlock()
		if delete(ls.all[owner], l); len(ls.all[owner]) == 0 {
			delete(ls.all, owner)
		}
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

// take returns what is noted for a stream that it may know of. That is looked up now:
// who asks for a resource is told neither that it is there nor that it is not.
func (ls *listeners) take(l *listener) []Change {
	ls.mu.Lock()
	pending := l.pending
	l.pending = nil
	ls.mu.Unlock()
	return slices.DeleteFunc(pending, func(c Change) bool { return c.uri != "" && !l.may(c.uri) })
}

// mayFollow tells of which resources a stream is told that was opened by a request.
func (s *Server) mayFollow(ctx context.Context) func(uri string) bool {
	return func(uri string) bool { return s.MaySubscribe == nil || s.MaySubscribe(ctx, uri) }
}

// params returns the members of the notification's params.
func (c Change) params() []byte {
	if c.uri == "" {
		return nil
	}
	return jsonrpc.AppendString([]byte(`"uri":`), c.uri)
}
