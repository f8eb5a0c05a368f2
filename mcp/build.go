package mcp

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
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

	identity *Identity       // of Info and Instructions
	discover json.RawMessage // the result of server/discover under that identity
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
	if s.Access == nil {
		s.Access = Anyone{}
	}

	b.levels.Max = session.MaxRecent
	b.changes.Access = s.Access
	b.changes.Notes = s.Notes
	b.changes.Log = s.Log
	b.endpoint = transport.Endpoint{
		Server:   handler{s.Access, s},
		Sessions: session.NewStore(s.SessionKey, s.Now),
		Changes:  &b.changes,
		Changing: s.Changing,
		Strict:   s.Strict,
		Limits:   s.Limits.WithDefaults(),
		Log:      s.Log,
	}
	if s.Info.Name == "" || s.Info.Version == "" {
		return errors.New("mcp: the server has no name or no version")
	}

	b.key = s.SessionKey
	if len(b.key) == 0 {
		b.key = []byte(rand.Text()) // valid until a restart, and on this replica
	}

	b.lists = map[string]listing{}
	b.identity, err = NewIdentity(s.Info, s.Instructions)
	if err != nil {
		return err
	}

	tools, err := b.makeTools(s.Tools, s.Tasks != nil)
	b.tools.Store(tools)
	if err := errors.Join(err, b.makeResources(s), b.makePrompts(s)); err != nil {
		return err
	}

	b.discover = b.discovered(s, b.identity)
	return nil
}

// Identity is how the server presents itself to clients.
type Identity struct {
	info         json.RawMessage // serverInfo
	instructions string          // the member "instructions" with a comma before, "" if there are none
}

// NewIdentity returns an identity with the instructions for models, "" being none.
func NewIdentity(info Implementation, instructions string) (*Identity, error) {
	text, err := json.Marshal(info)
	if err != nil {
		return nil, fmt.Errorf("mcp: server info: %w", err)
	}
	id := &Identity{info: text}
	if instructions != "" {
		id.instructions = `,"instructions":` + quoted(instructions)
	}
	return id, nil
}

// meta returns the member _meta, which says since 2026-07-28 whose result it is.
func (id *Identity) meta() string {
	return fmt.Sprintf(`"_meta":{%q:%s}`, gomcp.MetaKeyServerInfo, id.info)
}

// Implementation describes a program to its peer.
type Implementation = gomcp.Implementation

// Icon is a picture that clients show next to a name.
type Icon = gomcp.Icon
