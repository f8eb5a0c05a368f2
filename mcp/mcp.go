// Package mcp serves tools, resources and prompts to MCP clients of every
// revision over Streamable HTTP. It knows the protocol and nothing of what the
// tools do, nor who may call them: a guard in front of it answers 401 and 403.
//
// Both eras of the protocol live on one URL and each request says for itself
// which it belongs to (2026-07-28, basic/versioning, "Backward
// Compatibility"). The era decides how a request is checked and how its result
// is dressed; the tools are called alike. How a request flows:
//
//	guard    Origin, Host, CORS                                   guard.go
//	message  size, type, one JSON-RPC message                     message.go
//	revision which revision, whose session, which hybrid          revision.go
//	headers  what the headers say is what the body says           headers.go
//	method   a file each: initialize.go, discover.go, ...         dispatch.go
//	question to the client: input_required, or on the stream      ask.go
//	task     what outlives its call, and who keeps it             task.go
//	answer   a JSON body, or an event stream that ends with it    answer.go
//
// The message types, the vocabulary of headers and keys, and the rules for
// header values are those of mcp-go. Its server is not used: it loses and
// misroutes progress, lets one client cancel another's call and keeps sessions
// for ever.
//
// Where the package leaves the specification:
//
//   - Accept is not enforced (2025-11-25, basic/transports, "Sending
//     Messages"): a hosted client is known to send "*/*".
//   - Some hybrids of both eras, which hosted clients are known to send, are
//     understood instead of refused, counted and logged; see Server.Strict.
//   - Answers to questions (inputResponses) are taken without a requestState
//     too. A client may answer what it has not been asked; that is no more
//     than it could do with a state.
//   - The clients' side of sessions is honoured, yet the server keeps none;
//     see Server.SessionKey. What a session has set (a log level, resources to
//     be told of) is noted in the process that it said it to, for the sessions
//     that last did. A restart forgets it, and another replica never knew.
//   - A stream that broke off is resumed at the replica that began it, within
//     bounds of number, size and time; see replay.go. What must outlive that is
//     a task.
//   - The pair of addresses that 2024-11-05 had (Server.SSE, Server.Messages)
//     works where whatever is in front of several replicas sends a client's
//     messages to the one that holds its stream.
package mcp

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	gomcp "github.com/mark3labs/mcp-go/mcp"
)

// The revisions of the protocol, oldest first. Revisions compare as strings.
const (
	Revision20241105 = gomcp.ProtocolVersion20241105
	Revision20250326 = gomcp.ProtocolVersion20250326
	Revision20250618 = gomcp.ProtocolVersion20250618
	Revision20251125 = gomcp.ProtocolVersion20251125
	Revision20260728 = gomcp.ProtocolVersion20260728
)

// Server serves Tools to MCP clients of every revision over Streamable HTTP.
// Only Name, Version and Tools are required. The fields must not change once
// it serves; SetTools replaces the tools.
type Server struct {
	// Name, Title, Version and WebsiteURL tell clients what this is.
	Name, Title, Version, WebsiteURL string
	Icons                            []Icon
	// Instructions tell a model how the tools play together.
	Instructions string
	// Tools are listed in this order, always the same, so that clients and
	// the prompt caches behind them can keep the list.
	Tools []Tool
	// Visible tells whether a principal may see and call a tool; if nil,
	// everybody may.
	Visible func(ctx context.Context, principal, tool string) bool

	// Resources, Templates and Prompts are listed in this order.
	Resources []Resource
	Templates []ResourceTemplate
	Prompts   []Prompt
	// ListResources lists what there is for a principal besides Resources, page
	// by page; nil if that is all there is. The context is the request's. It
	// returns ErrCursor for a cursor that it has not given. The resources are
	// read through Templates.
	ListResources func(ctx context.Context, principal, cursor string) (*ResourcePage, error)
	// MaySubscribe tells whether somebody is told of changes of a resource that they
	// have subscribed to; nil means that the owner is (see Changed). The context is
	// that of the request that opened the stream.
	MaySubscribe func(ctx context.Context, uri string) bool
	// Complete completes what somebody writes for a prompt or a template; nil
	// if nobody does.
	Complete func(context.Context, *Completion) (*Completions, error)

	// Tasks keeps the work that outlives calls; nil if there is none.
	Tasks Tasks
	// TaskCalled is told of each request about one of them that has ended. It may be
	// nil.
	TaskCalled func(context.Context, TaskCall)

	// Logging says that tools log to clients: see Call.Log.
	Logging bool
	// Changing says that clients will be told of changes: see Changed.
	Changing bool
	// Owner tells who is to be told of changes that a principal listens for; nil
	// means the principal itself. It may be one for several principals, as a
	// user is who has several clients.
	Owner func(principal string) string

	// Principal tells whom a request acts for, "" for nobody. Sessions,
	// cancellation and limits are bound to it. If nil, everybody is nobody.
	Principal func(*http.Request) string

	// SessionKey seals session ids of clients before 2026-07-28, so that they
	// need not be stored: an id carries the revision and the client it was
	// given to, and is good on every replica and after a restart, for its
	// principal only. Without a key no session is given out; such clients are
	// then served without one, but cannot cancel a call.
	SessionKey []byte

	// AllowedOrigins are the origins, besides the server's own, whose pages
	// may call it, as "https://host:port". A request without Origin does not
	// come from a page, and passes.
	AllowedOrigins []string
	// AllowedHosts are the values of Host that are accepted on a loopback
	// connection besides loopback names: those a reverse proxy on the same
	// machine passes on. It protects local servers from DNS rebinding.
	AllowedHosts []string

	// Forward, if set, takes the answers of clients of before 2026-07-28 to questions that
	// this process has not asked, for the Deliver of the others that share the load. It
	// must not wait for them.
	Forward func(Reply)

	// Strict refuses the hybrid requests that are otherwise understood.
	Strict bool

	MaxBody     int64         // bytes of a request; zero means 4 MiB
	MaxCalls    int           // requests of a principal at one time; zero means 64
	MaxListens  int           // open subscription streams of a principal; zero means 16
	AskTimeout  time.Duration // what a client before 2026-07-28 may take to answer a question; zero means a minute
	CallTimeout time.Duration // what a call may take, from when it first waits for the end of its context; zero means 10 minutes
	ListenFor   time.Duration // what a subscription stream may last; zero means an hour
	ResumeFor   time.Duration // what a stream of a session is kept for a client that comes back for it; zero means 5 minutes
	KeepAlive   time.Duration // silence on a stream before a comment; zero means 15 seconds

	Now func() time.Time // nil means time.Now
	Log *slog.Logger     // nil means silence

	once    sync.Once
	ready   prepared
	calls   limiter
	listens limiter
	running running
	asked   asked
	opened  recent[*session] // by principal and id, so that a seal is checked once
	ended   recent[bool]
	levels  recent[Level]
	watched recent[[]string] // URIs of resources

	listeners listeners
	replays   replays
	keeper    keeper
	pairs     pairs
	hybrids   hybrids
}

// ServeHTTP answers one request to the MCP endpoint.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.guard(w, r) {
		return
	}
	if err := s.prepare(); err != nil {
		s.log().Error("mcp server is misconfigured", "err", err)
		s.writeError(w, "", faultf(http.StatusInternalServerError, codeInternal, "internal error"))
		return
	}
	switch r.Method {
	case http.MethodPost:
		s.post(w, r)
	case http.MethodDelete:
		s.deleteSession(w, r)
	case http.MethodGet:
		s.get(w, r)
	default:
		s.notAllowed(w)
	}
}

// notAllowed answers methods other than POST (RFC 9110 section 15.5.6).
func (s *Server) notAllowed(w http.ResponseWriter) {
	w.Header().Set("Allow", "POST, OPTIONS")
	s.writeError(w, "", faultf(http.StatusMethodNotAllowed, codeServer, "send MCP messages with POST"))
}

// allowOnly answers a request whose method is none of those that the address
// takes.
func (s *Server) allowOnly(w http.ResponseWriter, methods ...string) {
	w.Header().Set("Allow", strings.Join(slices.Concat(methods, []string{http.MethodOptions}), ", "))
	s.writeError(w, "", faultf(http.StatusMethodNotAllowed, codeServer, "this address takes %s", strings.Join(methods, " and ")))
}

func (s *Server) principal(r *http.Request) string {
	if s.Principal == nil {
		return ""
	}
	return s.Principal(r)
}

func (s *Server) now() time.Time {
	if s.Now == nil {
		return time.Now()
	}
	return s.Now()
}

func (s *Server) log() *slog.Logger {
	if s.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return s.Log
}

// or returns v, or fallback if v is zero: how the limits get their values.
func or[T int | int64 | time.Duration](v, fallback T) T {
	if v == 0 {
		return fallback
	}
	return v
}
