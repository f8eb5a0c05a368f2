package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"rialto/mcp/internal/transport"
)

// Access decides whom requests act for, and what they reach. It is used concurrently. Anyone
// implements it; embed Anyone to decide a part.
type Access interface {
	// Principal returns whom a request acts for, "" for an anonymous one. Sessions,
	// cancellation and limits are bound to it.
	Principal(*http.Request) string

	// Identity returns how the server presents itself to a request, instead of as Server.Info and
	// Instructions say; nil is as they say.
	Identity(context.Context) *Identity

	// AllowedHosts returns the values of Host that are accepted on a loopback connection in addition
	// to loopback names: those that a reverse proxy on the same machine passes on. They protect local
	// servers from DNS rebinding.
	AllowedHosts() []string

	// AllowedOrigins returns the origins, in addition to the server's own, whose pages may call it,
	// as "https://host:port"; "https://*.host" stands for all hosts below one. A request without
	// Origin does not come from a page, and passes.
	AllowedOrigins() []string

	// ToolVisible tells whether a principal may see and call a tool.
	ToolVisible(ctx context.Context, principal, tool string) bool

	// OwnerOf returns whose changes a principal is notified of. Several principals may have one
	// owner, such as a user with several clients.
	OwnerOf(principal string) string

	// MaySubscribe tells whether a subscriber gets the changes of a resource that its owner is
	// notified of. The context is that of the request that opened the stream.
	MaySubscribe(ctx context.Context, uri string) bool
}

// Anyone is the Access of a server without a login: each request is anonymous, and reaches all.
type Anyone struct{}

// Principal implements Access.
func (Anyone) Principal(*http.Request) string { return "" }

// Identity implements Access.
func (Anyone) Identity(context.Context) *Identity { return nil }

// AllowedHosts implements Access: only loopback names.
func (Anyone) AllowedHosts() []string { return nil }

// AllowedOrigins implements Access: no other origin is allowed.
func (Anyone) AllowedOrigins() []string { return nil }

// ToolVisible implements Access.
func (Anyone) ToolVisible(context.Context, string, string) bool { return true }

// OwnerOf implements Access: each principal is its own owner.
func (Anyone) OwnerOf(principal string) string { return principal }

// MaySubscribe implements Access.
func (Anyone) MaySubscribe(context.Context, string) bool { return true }

// handler answers the requests of the transport.
type handler struct {
	Access
	server *Server
}

// Handle implements transport.Server.
func (h handler) Handle(q *transport.Request) (json.RawMessage, error) { return h.server.handle(q) }

// SessionEnded implements transport.Server.
func (h handler) SessionEnded(revision string, after time.Duration) {
	for _, o := range h.server.Observers {
		if o, ok := o.(SessionObserver); ok {
			o.ObserveSession(revision, after)
		}
	}
}
