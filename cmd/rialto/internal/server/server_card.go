package server

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/mux"

	"rialto/bridge/directory"
	"rialto/cmd/rialto/internal/config"
	"rialto/mcp"
	"rialto/wellknown"
)

// cardPath is the address of the server card: that of the MCP endpoint, with "/server-card" added.
const cardPath = "/mcp/server-card"

// The media types that the catalog lists.
const (
	serverCardType = "application/mcp-server-card+json"
	agentCardType  = "application/a2a-agent-card+json"
	catalogType    = "application/ai-catalog+json"
)

// serverCard describes the server to crawlers and registries (SEP-2127). It names no tools.
type serverCard struct {
	Schema      string       `json:"$schema"`
	Name        string       `json:"name"` // as in reverse DNS, and a slash
	Version     string       `json:"version"`
	Description string       `json:"description"` // 100 characters at most
	Title       string       `json:"title,omitempty"`
	WebsiteURL  string       `json:"websiteUrl"`
	Icons       []mcp.Icon   `json:"icons,omitempty"`
	Remotes     []cardRemote `json:"remotes"`
}

type cardRemote struct {
	Type      string   `json:"type"`
	URL       string   `json:"url"`
	Revisions []string `json:"supportedProtocolVersions"`
}

func newServerCard(info mcp.Implementation, origin *url.URL) serverCard {
	return serverCard{
		Schema:      "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
		Name:        reverseDNS(origin.Hostname()) + "/" + info.Name,
		Version:     info.Version,
		Title:       info.Title,
		Description: "Gives tasks to A2A agents and returns their answers.",
		WebsiteURL:  origin.String(),
		Icons:       info.Icons,
		Remotes:     []cardRemote{{"streamable-http", origin.String() + "/mcp", mcp.Revisions()}},
	}
}

// reverseDNS returns the labels of a host name in reverse order, and those of an address as they are.
func reverseDNS(host string) string {
	labels := strings.Split(strings.ReplaceAll(host, ":", "-"), ".")
	if last := labels[len(labels)-1]; strings.Trim(last, "0123456789") != "" {
		slices.Reverse(labels)
	}
	return strings.Join(labels, ".")
}

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
		{urn + ":mcp:rialto", "rialto", serverCardType, c.origin.String() + cardPath},
	}
	for _, a := range c.directory.All() {
		if c.agents && publicCard(a.AgentConfig) {
			entries = append(entries, catalogEntry{
				urn + ":a2a:" + a.Name,
				a.Name,
				agentCardType,
				c.origin.String() + config.AgentPath + a.Name + "/.well-known/agent-card.json",
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
		Doc:       newServerCard(s.Info, origin),
		MediaType: serverCardType,
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
