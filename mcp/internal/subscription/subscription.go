// Package subscription passes changes on to the streams that subscribed to them, in
// this process. It knows which stream may hear of which change. It does not know what
// changed, nor how a stream sends it.
package subscription

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"rialto/internal/jsonrpc"
	"rialto/mcp/internal/session"
)

// Change is a notification that subscribers get. URI is empty for the change of a list.
type Change struct{ Method, URI string }

// Params returns the members of the notification's params.
func (c Change) Params() []byte {
	if c.URI == "" {
		return nil
	}
	return jsonrpc.AppendString([]byte(`"uri":`), c.URI)
}

// Among returns the change for those of the URIs that it concerns: the URI itself, and
// those that continue it after a slash.
func (c Change) Among(uris []string) (changes []Change) {
	for _, uri := range uris {
		if rest, ok := strings.CutPrefix(uri, c.URI); ok && (rest == "" || rest[0] == '/') {
			changes = append(changes, Change{c.Method, uri})
		}
	}
	return changes
}

// Hub passes changes on to subscribers. The zero value is ready.
type Hub struct {
	// Owner returns whose changes a principal hears of; nil means its own.
	Owner func(principal string) string
	// May tells whether the changes of a resource are for the request that opened
	// the stream; nil means yes.
	May func(ctx context.Context, uri string) bool

	// Notes keeps which resources a session watches.
	Notes session.Notes
	Log   *slog.Logger

	mu   sync.Mutex
	open map[string]map[*Subscriber]bool // by owner
}

// OwnerOf returns whose changes the principal hears of.
func (h *Hub) OwnerOf(principal string) string {
	if h.Owner == nil {
		return principal
	}
	return h.Owner(principal)
}

// MaxURIs bounds how many resources one stream or session can subscribe to.
const MaxURIs = 64

// MaxURI bounds the URI of a resource that a session subscribes to, which is stored.
const MaxURI = 2 << 10

// watching is the beginning of the name of a note whose rest is the URI.
const watching = "watch "

// Watch subscribes a session to a resource, until a moment. It returns false if the session or
// its owner has too many subscriptions.
func (h *Hub) Watch(ctx context.Context, principal, session, uri string, until time.Time) (bool, error) {
	uris, err := h.watched(ctx, session)
	if err != nil {
		return false, err
	}
	if len(uris) >= MaxURIs && !slices.Contains(uris, uri) {
		return false, nil
	}
	ok, err := h.Notes.AddNote(ctx, h.OwnerOf(principal), session, watching+uri, until)
	if err == nil {
		h.Reload(ctx, session)
	}
	return ok, err
}

// Unwatch ends a session's subscription to a resource.
func (h *Hub) Unwatch(ctx context.Context, session, uri string) error {
	err := h.Notes.DropNotes(ctx, session, watching+uri)
	if err == nil {
		h.Reload(ctx, session)
	}
	return err
}

// watched returns the resources that a session watches.
func (h *Hub) watched(ctx context.Context, session string) (uris []string, err error) {
	notes, err := h.Notes.SessionNotes(ctx, session)
	for name := range notes {
		if uri, ok := strings.CutPrefix(name, watching); ok {
			uris = append(uris, uri)
		}
	}
	return uris, err
}

// Reload reads again which resources a session watches, "" being any session, if it has a
// stream here.
func (h *Hub) Reload(ctx context.Context, session string) {
	h.mu.Lock()
	var all []*Subscriber
	for _, open := range h.open {
		for s := range open {
			if s.session != "" && (session == "" || s.session == session) {
				all = append(all, s)
			}
		}
	}
	h.mu.Unlock()
	for _, s := range all {
		if err := s.reload(ctx); err != nil && ctx.Err() == nil {
			h.Log.ErrorContext(ctx, "reading the subscriptions of a session", "err", err)
		}
	}
}

func (s *Subscriber) reload(ctx context.Context) error {
	uris, err := s.hub.watched(ctx, s.session)
	if err != nil {
		return err
	}
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.uris = uris
	return nil
}

// Subscriber is one stream. A change that happens again before it was sent is sent
// once, so that pending holds no more than the stream wants.
type Subscriber struct {
	hub     *Hub
	owner   string
	wants   func(Change) []Change
	may     func(uri string) bool
	pending []Change
	wake    chan struct{}

	session string   // whose stream it is; "" for a stream without one
	uris    []string // that the session watches
}

// Session subscribes a stream to what a session wants: the resources that it watches,
// and all lists. The context is that of the request that opened the stream. A stream that
// follows one of another process may have missed changes: with missed, it begins with one of
// each.
func (h *Hub) Session(ctx context.Context, principal, session string, missed bool) (*Subscriber, error) {
	var s *Subscriber
	s = h.subscribe(ctx, principal, session, func(c Change) []Change {
		if c.URI == "" {
			return []Change{c}
		}
		return c.Among(s.uris)
	})
	if err := s.reload(ctx); err != nil {
		s.Close()
		return nil, err
	}
	if missed {
		h.mu.Lock()
		defer h.mu.Unlock()
		s.add([]Change{{Method: "notifications/tools/list_changed"}, {Method: "notifications/resources/list_changed"}})
		for _, uri := range s.uris {
			s.add([]Change{{Method: "notifications/resources/updated", URI: uri}})
		}
	}
	return s, nil
}

// Subscribe subscribes a stream of the principal. Wants returns which changes it gets
// when one happens.
func (h *Hub) Subscribe(ctx context.Context, principal string, wants func(Change) []Change) *Subscriber {
	return h.subscribe(ctx, principal, "", wants)
}

func (h *Hub) subscribe(ctx context.Context, principal, session string, wants func(Change) []Change) *Subscriber {
	s := &Subscriber{hub: h, owner: h.OwnerOf(principal), session: session, wants: wants, wake: make(chan struct{}, 1)}
	s.may = func(uri string) bool { return h.May == nil || h.May(ctx, uri) }
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open == nil {
		h.open = map[string]map[*Subscriber]bool{}
	}
	if h.open[s.owner] == nil {
		h.open[s.owner] = map[*Subscriber]bool{}
	}
	h.open[s.owner][s] = true
	return s
}

// Close ends the subscription.
func (s *Subscriber) Close() {
	h := s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.open[s.owner], s)
	if len(h.open[s.owner]) == 0 {
		delete(h.open, s.owner)
	}
}

// Publish passes a change on to the subscribers of the owners, or to all if none is
// named. It does not wait for them.
func (h *Hub) Publish(c Change, owners ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(owners) == 0 {
		owners = slices.Collect(maps.Keys(h.open))
	}
	for _, owner := range owners {
		for s := range h.open[owner] {
			s.add(s.wants(c))
		}
	}
}

// add is called with the lock of the hub held.
func (s *Subscriber) add(changes []Change) {
	for _, c := range changes {
		if slices.Contains(s.pending, c) {
			continue
		}
		s.pending = append(s.pending, c)
		select {
		case s.wake <- struct{}{}:
		default: // it is awake
		}
	}
}

// Serve sends the changes until the context ends.
func (s *Subscriber) Serve(ctx context.Context, send func(Change)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
			for _, c := range s.Take() {
				send(c)
			}
		}
	}
}

// Pending is readable when Take has something to return.
func (s *Subscriber) Pending() <-chan struct{} { return s.wake }

// Take returns the pending changes. Access to a resource is checked now and not when
// a client subscribes, which thus does not learn whether the resource exists.
func (s *Subscriber) Take() []Change {
	s.hub.mu.Lock()
	pending := s.pending
	s.pending = nil
	s.hub.mu.Unlock()
	return slices.DeleteFunc(pending, func(c Change) bool { return c.URI != "" && !s.may(c.URI) })
}
