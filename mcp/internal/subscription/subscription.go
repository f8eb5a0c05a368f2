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

// The changes of lists.
var (
	ToolsChanged     = Change{Method: "notifications/tools/list_changed"}
	ResourcesChanged = Change{Method: "notifications/resources/list_changed"}
)

// ResourceUpdated is a change of a resource, and of those below it, whose URIs continue this one
// after a slash.
func ResourceUpdated(uri string) Change { return Change{"notifications/resources/updated", uri} }

// Params returns the members of the notification's params.
func (c Change) Params() []byte {
	if c.URI == "" {
		return nil
	}
	return jsonrpc.AppendString([]byte(`"uri":`), c.URI)
}

// Filter is what a stream wants to be notified of.
type Filter struct {
	Tools, Resources bool     // changes of the lists
	URIs             []string // of resources
}

// matches returns the notifications that a stream gets when a change happens: for a change of a
// resource, one for each URI that is the resource's or continues it after a slash.
func (f *Filter) matches(c Change) (changes []Change) {
	switch {
	case c == ToolsChanged && f.Tools, c == ResourcesChanged && f.Resources:
		return []Change{c}
	case c.URI == "":
		return nil
	}

	for _, uri := range f.URIs {
		rest, ok := strings.CutPrefix(uri, c.URI)
		if ok && (rest == "" || rest[0] == '/') {
			changes = append(changes, Change{c.Method, uri})
		}
	}

	return changes
}

// Access tells which changes a stream may have.
type Access interface {
	// OwnerOf returns whose changes a principal is notified of.
	OwnerOf(principal string) string

	// MaySubscribe tells whether the changes of a resource are for the request that opened the
	// stream, whose context it gets.
	MaySubscribe(ctx context.Context, uri string) bool
}

// Hub passes changes on to subscribers. Its exported fields are required.
type Hub struct {
	Access Access

	// Notes keeps which resources a session watches.
	Notes session.Notes
	Log   *slog.Logger

	mu   sync.Mutex
	open map[string]map[*Subscriber]bool // by owner
}

// MaxURIs bounds how many resources one stream or session can subscribe to.
const MaxURIs = 64

// MaxURI bounds the URI of a resource that a session subscribes to, which is stored.
const MaxURI = 2 << 10

// watchPrefix is the beginning of the name of a note whose rest is the URI.
const watchPrefix = "watch "

// Watch subscribes a session to a resource, until a moment. It returns false if the session or
// its owner has too many subscriptions.
func (h *Hub) Watch(
	ctx context.Context,
	principal, session, uri string,
	until time.Time,
) (bool, error) {
	uris, err := h.watched(ctx, session)
	if err != nil {
		return false, err
	}
	if len(uris) >= MaxURIs && !slices.Contains(uris, uri) {
		return false, nil
	}

	ok, err := h.Notes.AddNote(ctx, h.Access.OwnerOf(principal), session, watchPrefix+uri, until)
	if err == nil {
		h.Reload(ctx, session)
	}

	return ok, err
}

// Unwatch ends a session's subscription to a resource.
func (h *Hub) Unwatch(ctx context.Context, session, uri string) error {
	err := h.Notes.DropNotes(ctx, session, watchPrefix+uri)
	if err == nil {
		h.Reload(ctx, session)
	}
	return err
}

// watched returns the resources that a session watches.
func (h *Hub) watched(ctx context.Context, session string) (uris []string, err error) {
	notes, err := h.Notes.SessionNotes(ctx, session)
	for name := range notes {
		if uri, ok := strings.CutPrefix(name, watchPrefix); ok {
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
	s.filter.URIs = uris
	return nil
}

// Subscriber is one stream. A change that happens again before it was sent is sent
// once, so that pending holds no more than the stream wants.
type Subscriber struct {
	hub     *Hub
	ctx     context.Context // of the request that opened the stream
	owner   string
	session string // whose stream it is; "" for a stream without one
	filter  Filter
	pending []Change
	wake    chan struct{}
}

// Session subscribes a stream to what a session wants: the resources that it watches,
// and all lists. The context is that of the request that opened the stream. A stream that
// follows one of another process may have missed changes: with missed, it begins with one of
// each.
func (h *Hub) Session(
	ctx context.Context,
	principal, session string,
	missed bool,
) (*Subscriber, error) {
	s := h.subscribe(ctx, principal, session, Filter{Tools: true, Resources: true})
	if err := s.reload(ctx); err != nil {
		s.Close()
		return nil, err
	}
	if missed {
		h.mu.Lock()
		defer h.mu.Unlock()
		s.add(ToolsChanged, ResourcesChanged)
		for _, uri := range s.filter.URIs {
			s.add(ResourceUpdated(uri))
		}
	}

	return s, nil
}

// Subscribe subscribes a stream of the principal. The context is that of its request.
func (h *Hub) Subscribe(ctx context.Context, principal string, wanted Filter) *Subscriber {
	return h.subscribe(ctx, principal, "", wanted)
}

func (h *Hub) subscribe(ctx context.Context, principal, session string, wanted Filter) *Subscriber {
	s := &Subscriber{
		hub:     h,
		ctx:     ctx,
		owner:   h.Access.OwnerOf(principal),
		session: session,
		filter:  wanted,
		wake:    make(chan struct{}, 1),
	}
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
			s.add(s.filter.matches(c)...)
		}
	}
}

// add is called with the lock of the hub held.
func (s *Subscriber) add(changes ...Change) {
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
	return slices.DeleteFunc(
		pending,
		func(c Change) bool { return c.URI != "" && !s.hub.Access.MaySubscribe(s.ctx, c.URI) },
	)
}
