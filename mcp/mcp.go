// Package mcp serves tools, resources, prompts and tasks to MCP clients of every
// revision over HTTP. It knows the protocol. It does not know what the tools do, nor
// who may call them: a guard in front of it answers 401 and 403.
//
// Both eras of the protocol live on one URL, and each request says which it belongs to (2026-07-28,
// basic/versioning, "Backward Compatibility"). The era decides how a request is checked and how its
// result is written; the tools are called alike. internal/transport takes a request from HTTP to a
// message of known revision and back; methods.go lists which function answers which method, and
// each method has a file of its name: tools_call.go, resources_read.go, tasks_get.go.
//
// The message types, the names of headers and keys, and the rules for header values
// are those of mcp-go. Its server is not used: it loses and misroutes progress, lets
// one client cancel another's call and keeps sessions forever.
//
// Where the package leaves the specification:
//
//   - Accept is not enforced (2025-11-25, basic/transports, "Sending Messages"): a
//     hosted client sends "*/*".
//   - Some hybrids of both eras, which hosted clients send, are served instead of
//     refused, counted and logged; see Server.Strict.
//   - Answers to questions (inputResponses) are accepted without a requestState too.
//     A client may answer what it has not been asked; a state would not prevent that.
//   - Sessions are not stored; see Server.SessionKey. Subscriptions of a session are (Server.Notes).
//     Its log level is kept in the process that received it, for the most recent sessions.
//   - The events of a broken stream are replayed only at the replica that began it, within
//     bounds of number, size and time (internal/replay). Elsewhere the client gets the result
//     without the progress before it: event ids name the call that brings it (Call.ContinueWith).
//   - The two addresses of 2024-11-05 (Server.SSE, Server.Messages) need a proxy that
//     sends a client's messages to the replica that holds its stream.
package mcp

import (
	"log/slog"
	"net/http"
	"time"

	"rialto/mcp/internal/revision"
	"rialto/mcp/internal/session"
	"rialto/mcp/internal/subscription"
	"rialto/mcp/internal/transport"
)

// The revisions of the protocol, oldest first. Revisions compare as strings.
const (
	Revision20241105 = revision.V20241105
	Revision20250326 = revision.V20250326
	Revision20250618 = revision.V20250618
	Revision20251125 = revision.V20251125
	Revision20260728 = revision.V20260728
)

// Revisions returns the revisions that are served, newest first.
func Revisions() []string { return revision.All() }

// Limits bounds what clients can use. The zero value means the defaults.
type Limits = transport.Limits

// Quota counts requests: see Limits.
type Quota = transport.Quota

// Server serves Tools to MCP clients of every revision. Tools is required, and Info with a name and
// a version. The fields must not change once it serves; SetTools replaces the tools.
type Server struct {
	// Info describes the server to clients.
	Info Implementation
	// Instructions tell a model how to use the tools together.
	Instructions string
	// Access decides who may do what; nil means Anyone.
	Access Access
	// Tools are always listed in this order, so that clients and the prompt caches
	// behind them can keep the list.
	Tools []Tool

	// Resources, Templates and Prompts are listed in this order.
	Resources []Resource
	Templates []ResourceTemplate
	Prompts   []Prompt
	// MoreResources lists those that come after Resources, which Templates read; nil if there are none.
	MoreResources ResourceLister
	// Completer completes values that a person types; nil if completion is not offered.
	Completer Completer

	// Tasks keeps the work that outlives calls; nil if there is none.
	Tasks Tasks
	// Extensions are offered in addition to tasks.
	Extensions Extensions

	// Logging says that tools log to clients: see Call.Log.
	Logging bool
	// Changing says that clients are notified of changes: see Changed.
	Changing bool

	// SessionKey seals the session ids of clients before 2026-07-28. Ids are not
	// stored: an id carries the revision and the client, and is valid on every replica
	// and after a restart, for its principal only. Without a key there are no
	// sessions; such clients are served, but cannot cancel a call or be asked.
	SessionKey []byte

	// Notes keeps what replicas share of the sessions of clients before 2026-07-28: see
	// SessionChanged. Nil keeps it in this process.
	Notes SessionNotes

	// Strict refuses the hybrid requests that are otherwise served.
	Strict bool
	Limits Limits

	// Observers observe each request that is answered, the first outermost.
	Observers []Observer

	Now func() time.Time // nil means time.Now
	Log *slog.Logger     // nil discards

	built built
}

// ServeHTTP answers one request to the MCP endpoint.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.build().endpoint.ServeHTTP(w, r)
}

// CORS returns a handler that lets pages of the allowed origins read what next answers, and answers
// their preflight requests. A guard that answers 401 belongs inside: preflight requests carry no
// token, and a page must be able to read the challenge.
//
//	srv.CORS(guard(srv))
func (s *Server) CORS(next http.Handler) http.Handler { return s.build().endpoint.CORS(next) }

// maxPublicBody bounds the bodies of methods that may be offered without a login.
const maxPublicBody = 64 << 10

// MethodHandler returns a handler that answers one method at an address of its own, for programs
// that speak HTTP rather than MCP, and for clients that look at a server before they log in. It
// takes a message of the method and answers it, or takes the params alone (or nothing, or GET) and
// answers with the result alone, or with {"error":…} and a status. It begins no session.
func (s *Server) MethodHandler(method string, verbs ...string) http.Handler {
	var maxBody int64 = maxPublicBody
	if method == "tools/call" {
		maxBody = 0
	}
	return s.build().endpoint.MethodHandler(method, maxBody, verbs...)
}

// SSE returns the handler of the streams of revision 2024-11-05. Clients post their
// messages to the path messages, which Messages serves.
func (s *Server) SSE(messages string) http.Handler { return s.build().endpoint.SSE(messages) }

// Messages returns the handler of the messages of revision 2024-11-05.
func (s *Server) Messages() http.Handler { return s.build().endpoint.Messages() }

// SessionNotes keeps what replicas share of sessions.
type SessionNotes = session.Notes

// SessionChanged says that a process may have changed the notes of a session, "" being any. It
// does not wait.
func (s *Server) SessionChanged(session string) { s.build().endpoint.SessionChanged(session) }

// Hybrids returns how many requests of each hybrid kind were served. They are bugs of
// clients; when the counts stay zero, Server.Strict can be set.
func (s *Server) Hybrids() map[string]int64 { return s.build().endpoint.Hybrids() }

// StreamStats counts event streams: those of subscriptions and sessions, not those of calls.
type StreamStats = transport.StreamStats

// Streams returns how many event streams are open, and how many were refused.
func (s *Server) Streams() StreamStats { return s.build().endpoint.Streams() }

// Change is something that clients can be notified of: see Server.Changed.
type Change = subscription.Change

// ToolsChanged is a change of the tools that Access.ToolVisible shows.
func ToolsChanged() Change { return subscription.ToolsChanged }

// ResourcesChanged is a change of what Server.MoreResources lists.
func ResourcesChanged() Change { return subscription.ResourcesChanged }

// ResourceUpdated is a change of a resource, and of those below it, whose
// URIs continue this one after a slash.
func ResourceUpdated(uri string) Change { return subscription.ResourceUpdated(uri) }

// Changed notifies the clients of the owners (see Access.OwnerOf) of a change, or all
// clients if no owner is named. It reaches the clients that listen on this replica; a
// client that has to know in any case has to ask. It does not wait for them.
func (s *Server) Changed(c Change, owners ...string) { s.build().changes.Publish(c, owners...) }
