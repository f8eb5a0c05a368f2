package server

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gorilla/mux"

	"rialto/bridge/directory"
	"rialto/cmd/rialto/internal/config"
	"rialto/cmd/rialto/internal/connectors"
	"rialto/mcp"
	"rialto/wellknown"
)

// cardPath is the address of the server card: that of the MCP endpoint, with "/server-card" added.
const cardPath = "/mcp/server-card"

// The media types that the catalog lists.
const (
	agentCardType = "application/a2a-agent-card+json"
	catalogType   = "application/ai-catalog+json"
)

// catalog lists what can be found here without a login, for programs that look for MCP servers and agents.
type catalog struct {
	origin    *url.URL
	directory *directory.Directory
	agents    bool // list agents as well
}

type catalogEntry struct {
	Identifier string `json:"identifier"`
	Name       string `json:"displayName"`
	Type       string `json:"type"`
	URL        string `json:"url"`
}

// ServeHTTP answers with the agents of the moment.
func (c *catalog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h, err := wellknown.Handler(wellknown.Typed{Doc: c.list(), MediaType: catalogType})
	if err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	h.ServeHTTP(w, r)
}

func (c *catalog) list() any {
	urn := "urn:air:" + strings.ReplaceAll(c.origin.Hostname(), ":", "-")
	entries := []catalogEntry{
		{urn + ":mcp:rialto", "rialto", connectors.CardType, c.origin.String() + cardPath},
	}
	for _, a := range c.directory.All() {
		if c.agents && publicCard(a.AgentConfig) {
			entries = append(entries, catalogEntry{
				urn + ":a2a:" + a.Name,
				a.Name,
				agentCardType,
				c.origin.String() + directory.AgentPath + a.Name + "/.well-known/agent-card.json",
			})
		}
	}

	return map[string]any{"specVersion": "1.0", "entries": entries}
}

// publicCard reports whether everybody may read the card of an agent.
func publicCard(a directory.AgentConfig) bool { return !a.Disabled && len(a.UseCases) == 0 }

// cardRoutes mounts the server card and the catalog, for everybody: at their present addresses and
// at those of earlier drafts, which programs still ask for.
func cardRoutes(r *mux.Router, cfg *config.Config, s *mcp.Server, d *directory.Directory) error {
	origin, err := url.Parse(cfg.URL)
	if err != nil {
		return err
	}

	card, err := wellknown.Handler(wellknown.Typed{
		Doc:       connectors.NewCard(s.Info, "rialto", origin, origin.String()+directory.Path),
		MediaType: connectors.CardType,
		MaxAge:    time.Hour,
	})
	if err != nil {
		return err
	}

	for _, path := range []string{cardPath, "/.well-known/mcp/server-card.json", "/.well-known/mcp-server-card.json"} {
		r.Path(path).Handler(card)
	}

	list := &catalog{origin, d, cfg.MCP.PublicListing}
	for _, path := range []string{"/.well-known/ai-catalog.json", "/.well-known/mcp/catalog.json"} {
		r.Path(path).Handler(list)
	}

	return nil
}
