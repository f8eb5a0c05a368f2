// Package a2aserver serves an a2a.Agent to A2A clients over HTTP: JSON-RPC of
// generations 1.0, 0.3, 0.2 and 0.1 and HTTP+JSON of 1.0 and 0.3 at one URL, event
// streams, and the agent's card. ServeGRPC answers calls that package a2agrpc receives.
//
// It does not run agents (see a2aexec) and does not know who may call them (the guard
// before it does). It keeps nothing but the ids that callers of 0.1 give to tasks. A
// client that disconnects ends its call, not the task.
//
// Calls about a task have the same names in 0.1, 0.2 and 0.3. Without A2A-Version they are
// answered in 0.1 if the caller has given a task that id in 0.1, and else in 0.3, whose
// answers are valid in 0.2.
//
// It deviates from the specification in two places. A call without A2A-Version means 0.3
// (A2A 1.0 section 3.6.2); here the name of the method decides, because clients of 1.0
// forget the header and the names differ. And over JSON-RPC an error of a streaming call is
// always an event, never a JSON answer, which a2a-go's client reads as an empty stream.
package a2aserver

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"rialto/a2a"
)

// DefaultMaxBody bounds the body of a call, in bytes, unless Server does.
const DefaultMaxBody = 4 << 20

// DefaultKeepAlive is the interval of comments on a quiet stream, unless Server sets it.
// Proxies commonly close streams that are quiet for a minute.
const DefaultKeepAlive = 15 * time.Second

// Server serves one agent. Agent, URL and either Card or Describer are required; the zero value of
// the rest is useful. Its fields must not change once it serves.
type Server struct {
	Agent a2a.Agent

	// Card is the agent's card. If it lists no interfaces, it gets those of Interfaces.
	Card *a2a.Card
	URL  string // the public URL of the endpoint

	// Path is where requests for the endpoint come in. Other paths that are no operation of
	// HTTP+JSON are answered 404. "" is any path.
	Path string

	// Others are interfaces at other URLs, such as gRPC. Cards list them after those at URL.
	Others []a2a.Interface

	Describer Describer    // the card if it can change while the server runs
	Extender  a2a.Extender // the card for callers who may call the agent (A2A 1.0 section 3.1.11); nil has none
	Signer    Signer       // nil leaves cards as they are

	// Guard decides about calls. Nil permits all: then only the guard before the server decides,
	// and all callers of 0.1 share one set of ids of tasks, which is safe, but two may use the same.
	Guard Guard

	Observer Observer // of each call; nil is none

	// Lists offers the agent's tasks as a list, if it is an a2a.Lister. An agent
	// must then know whose tasks it lists, or all who may call must be allowed
	// to see all of them (A2A 1.0 section 13.1).
	Lists bool

	Log       *slog.Logger  // nil discards
	MaxBody   int64         // 0 means DefaultMaxBody
	KeepAlive time.Duration // 0 means DefaultKeepAlive

	docs  cards
	names taskNames
}

// Describer returns the card of an agent as it is now. Its errors are answered in place of the card.
type Describer interface {
	Card(context.Context) (*a2a.Card, error)
}

// Signer returns the JSON of a card with signatures.
type Signer interface {
	SignCard(card []byte) ([]byte, error)
}

// Guard decides about calls. It is used concurrently.
type Guard interface {
	// Allow returns an error if a request is not permitted. An *a2a.Error is answered unchanged,
	// with its Challenge. It may set headers of the answer.
	Allow(answer http.Header, r *http.Request, a Access) error

	// Caller identifies callers of 0.1, each of which has its own ids of tasks.
	Caller(*http.Request) string
}

// Observer observes the calls of a server. It is used concurrently.
type Observer interface {
	// ObserveCall is called before each call, with its method as A2A 1.0 names it and the caller's
	// generation. The call is answered in the context that it returns; the function is called at
	// the end, of a stream without its error.
	ObserveCall(ctx context.Context, method string, g a2a.Generation) (context.Context, func(error))
}

// Access is what a call does with tasks.
type Access int

// Read gets agents and tasks; Write starts, continues, cancels or deletes tasks.
const (
	Read Access = iota
	Write
)

// ServeHTTP serves the card at paths that end in a well-known path, HTTP+JSON at paths that end in
// one of its operations, and JSON-RPC at any other POST, so it may be mounted anywhere. With Path,
// JSON-RPC is served there only.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case isCardPath(r.URL.Path):
		s.ServeCard(w, r)
	case s.serveREST(w, r):
	case s.Path != "" && strings.TrimSuffix(r.URL.Path, "/") != s.Path:
		http.Error(
			w,
			"There is no A2A operation at this path. POST JSON-RPC to "+s.Path+
				"; its card is at "+s.Path+cardPath,
			http.StatusNotFound,
		)
	case r.Method == http.MethodPost:
		s.serveCall(w, r)
	default:
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "This is an A2A endpoint: POST JSON-RPC to it. Its card is at "+
			strings.TrimSuffix(r.URL.Path, "/")+cardPath, http.StatusMethodNotAllowed)
	}
}

func (s *Server) log() *slog.Logger { return cmp.Or(s.Log, slog.New(slog.DiscardHandler)) }
