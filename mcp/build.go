package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/lru"
	"rialto/mcp/internal/session"
	"rialto/mcp/internal/subscription"
	"rialto/mcp/internal/transport"
)

// built is what a Server makes of its fields, once.
type built struct {
	once      sync.Once
	err       error
	endpoint  transport.Endpoint
	changes   subscription.Hub
	levels    lru.Cache[string, Level] // by session
	key       []byte                   // seals requestState
	tools     atomic.Pointer[toolset]
	resources map[string]*Resource // nil if there are neither resources nor templates
	apps      page                 // the resources that are apps
	templates []*template
	prompts   map[string]*Prompt
	lists     map[string]listing // by method

	info         json.RawMessage // serverInfo
	instructions string          // the member "instructions" with a comma before, "" if there are none
	discover     json.RawMessage // the result of server/discover
}

// Check returns what is wrong with the fields of s: a tool without a name, two of one name, an
// invalid schema. A Server with such a fault answers every request with an internal error.
func (s *Server) Check() error { return s.build().err }

func (s *Server) build() *built {
	b := &s.built
	b.once.Do(func() {
		b.err = b.make(s)
		b.endpoint.Err = b.err
	})
	return b
}

func (b *built) make(s *Server) (err error) {
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	if s.Now == nil {
		s.Now = time.Now
	}
	if s.Notes == nil {
		s.Notes = session.NewMemory()
	}
	b.levels.Max = session.MaxRecent
	b.changes.Access = access{s}
	b.changes.Notes = s.Notes
	b.changes.Log = s.Log
	b.endpoint = transport.Endpoint{
		Server:       access{s},
		Sessions:     session.NewStore(s.SessionKey, s.Now),
		Changes:      &b.changes,
		Changing:     s.Changing,
		AllowedHosts: s.AllowedHosts,
		Strict:       s.Strict,
		Limits:       s.Limits.WithDefaults(),
		Log:          s.Log,
	}
	if s.Name == "" || s.Version == "" {
		return errors.New("mcp: the server has no name or no version")
	}
	b.key = s.SessionKey
	if len(b.key) == 0 {
		b.key = []byte(rand.Text()) // valid until a restart, and on this replica
	}
	b.lists = map[string]listing{}
	b.info, err = json.Marshal(gomcp.Implementation{
		Name:       s.Name,
		Version:    s.Version,
		Title:      s.Title,
		WebsiteURL: s.WebsiteURL,
		Icons:      s.Icons,
	})
	if err != nil {
		return fmt.Errorf("mcp: server info: %w", err)
	}
	if s.Instructions != "" {
		b.instructions = `,"instructions":` + quoted(s.Instructions)
	}
	tools, err := b.makeTools(s.Tools, s.Tasks != nil)
	b.tools.Store(tools)
	if err := errors.Join(err, b.makeResources(s), b.makePrompts(s)); err != nil {
		return err
	}
	b.makeDiscover(s)
	return nil
}

// access lets the transport and the subscriptions ask a Server.
type access struct{ s *Server }

// Handle implements transport.Server.
func (a access) Handle(q *transport.Request) (json.RawMessage, error) { return a.s.handle(q) }

// Principal implements transport.Server.
func (a access) Principal(r *http.Request) string {
	if a.s.Principal == nil {
		return ""
	}
	return a.s.Principal(r)
}

// AllowedOrigins implements transport.Server.
func (a access) AllowedOrigins() []string {
	if a.s.AllowedOrigins == nil {
		return nil
	}
	return a.s.AllowedOrigins()
}

// OwnerOf implements subscription.Access.
func (a access) OwnerOf(principal string) string {
	if a.s.Owner == nil {
		return principal
	}
	return a.s.Owner(principal)
}

// MaySubscribe implements subscription.Access.
func (a access) MaySubscribe(ctx context.Context, uri string) bool {
	return a.s.MaySubscribe == nil || a.s.MaySubscribe(ctx, uri)
}

// Icon is a picture that clients show next to a name.
type Icon = gomcp.Icon
