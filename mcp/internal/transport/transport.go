// Package transport carries JSON-RPC messages between MCP clients and a handler: Streamable HTTP in
// the form of every revision, and HTTP with SSE of 2024-11-05. It knows sessions, streams,
// cancellation and limits. It does not know what methods there are: the Server answers them.
//
//	guard         Origin, Host, CORS                                  guard.go
//	body          size, time, type, one JSON-RPC message              body.go
//	negotiate     which revision, whose session, which hybrid         negotiate.go
//	Handle        the method
//	response      a JSON body, or an event stream that ends with it   response.go
package transport

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/jsonrpc"
	"rialto/internal/quota"
	"rialto/mcp/internal/replay"
	"rialto/mcp/internal/revision"
	"rialto/mcp/internal/session"
	"rialto/mcp/internal/subscription"
	"rialto/mcp/internal/wire"
)

// Server answers the requests that an Endpoint carries.
type Server interface {
	// Handle returns the result of a request, or ErrAnswered if it has been answered.
	Handle(*Request) (json.RawMessage, error)

	// Principal returns whom a request acts for, "" for an anonymous one.
	Principal(*http.Request) string

	// AllowedHosts returns the values of Host that are accepted on a loopback connection.
	AllowedHosts() []string

	// AllowedOrigins returns the origins, in addition to the server's own, whose pages may call it.
	AllowedOrigins() []string

	// SessionEnded is called when the client of a session has ended it.
	SessionEnded(revision string, after time.Duration)
}

// Endpoint serves MCP over HTTP. The exported fields must not change once it serves.
type Endpoint struct {
	Server Server
	// Err, if not nil, is why no request can be served.
	Err error

	Sessions *session.Store
	Changes  *subscription.Hub
	Changing bool // GET opens a stream of changes

	Strict bool // refuse hybrids
	Limits Limits
	Log    *slog.Logger

	calls   quota.Count
	listens streamCounter
	streams replay.Store
	hybrids revision.Hybrids

	// The limits on calls and on event streams bound these.
	running   sync.Map // callKey to *Call: those that clients of sessions can cancel
	questions sync.Map // callKey.name to question
	legacy    sync.Map // id to *legacyStream: those that are open
}

// ServeHTTP answers one request to the endpoint of Streamable HTTP.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if e.refused(w, r) {
		return
	}
	switch r.Method {
	case http.MethodPost:
		e.post(w, r)
	case http.MethodDelete:
		e.deleteSession(w, r)
	case http.MethodGet:
		e.get(w, r)
	default:
		e.notAllowed(w)
	}
}

// refused tells whether the request has been answered: by the guard, or because no
// request can be served.
func (e *Endpoint) refused(w http.ResponseWriter, r *http.Request) bool {
	if e.guard(w, r) {
		return true
	}
	if e.Err == nil {
		return false
	}

	e.Log.ErrorContext(r.Context(), "mcp server is misconfigured", "err", e.Err)
	writeError(
		w, wire.Errorf(http.StatusInternalServerError, jsonrpc.CodeInternal, "internal error"),
	)
	return true
}

// only returns a handler that takes the given HTTP methods alone, behind the guard.
func (e *Endpoint) only(next http.HandlerFunc, methods ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if e.refused(w, r) {
			return
		}
		if slices.Contains(methods, r.Method) {
			next(w, r)
			return
		}
		w.Header().Set("Allow", strings.Join(methods, ", ")+", "+http.MethodOptions)
		writeError(
			w,
			wire.Refuse(
				http.StatusMethodNotAllowed,
				"this address takes %s",
				strings.Join(methods, " and "),
			),
		)
	})
}

// notAllowed answers HTTP methods other than POST (RFC 9110 section 15.5.6).
func (e *Endpoint) notAllowed(w http.ResponseWriter) {
	w.Header().Set("Allow", "POST, OPTIONS")
	writeError(w, wire.Refuse(http.StatusMethodNotAllowed, "send MCP messages with POST"))
}

// Hybrids returns how many hybrid requests of each kind were served.
func (e *Endpoint) Hybrids() map[string]int64 { return e.hybrids.Counts() }

// namesSession tells whether a request names a session, and belongs to the era that has sessions.
func namesSession(r *http.Request) bool {
	header, _ := revision.Header(r.Header)
	return r.Header.Get(gomcp.HeaderSessionID) != "" && !revision.Modern(header)
}

// sessionOf returns the session that a GET or DELETE names. If there is none it
// answers and returns nil.
func (e *Endpoint) sessionOf(
	w http.ResponseWriter, r *http.Request, principal string,
) *session.Session {
	open := e.Sessions.Open(r.Header.Get(gomcp.HeaderSessionID), principal)
	if open == nil {
		writeError(
			w, wire.Errorf(http.StatusNotFound, wire.CodeSession, "the session is not known"),
		)
	}
	return open
}

// deleteSession ends a session. Clients of 2026-07-28 have none.
func (e *Endpoint) deleteSession(w http.ResponseWriter, r *http.Request) {
	if !namesSession(r) {
		e.notAllowed(w)
		return
	}
	if open := e.sessionOf(w, r, e.Server.Principal(r)); open != nil {
		e.Sessions.End(open)
		e.Server.SessionEnded(
			open.Client.Revision, e.Sessions.Now().Sub(time.Unix(open.Issued, 0)),
		)
		e.streams.Drop(open.Nonce, true)
		if err := e.Changes.Notes.DropNotes(r.Context(), open.Nonce, ""); err != nil {
			e.Log.ErrorContext(
				r.Context(), "removing the notes of a session",
				"err", err,
			) // they end with its time
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// writeError answers before a message has been read.
func writeError(w http.ResponseWriter, err *wire.StatusError) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(err.Status)
	_, _ = w.Write(wire.AppendError(nil, "", err.Err)) // fails only if the client is gone
}

// unavailable answers a request that needs the notes of a session, which cannot be read or written.
func (e *Endpoint) unavailable(w http.ResponseWriter, r *http.Request, err error) {
	e.Log.ErrorContext(r.Context(), "notes of a session", "err", err)
	w.Header().Set("Retry-After", "1")
	writeError(
		w,
		wire.Refuse(
			http.StatusServiceUnavailable, "the server cannot reach its database, try again",
		),
	)
}
