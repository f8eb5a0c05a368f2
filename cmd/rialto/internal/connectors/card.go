package connectors

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"rialto/bridge/sanitize"
	"rialto/mcp"
	"rialto/oauth"
	"rialto/wellknown"
)

// CardType is the media type of a Card.
const CardType = "application/mcp-server-card+json"

// Card describes the server to crawlers and registries (SEP-2127). It names no tools.
type Card struct {
	Schema      string     `json:"$schema"`
	Name        string     `json:"name"` // as in reverse DNS, and a slash
	Version     string     `json:"version"`
	Description string     `json:"description"` // 100 characters at most
	Title       string     `json:"title,omitempty"`
	WebsiteURL  string     `json:"websiteUrl"`
	Icons       []mcp.Icon `json:"icons,omitempty"`
	Remotes     []remote   `json:"remotes"`
}

type remote struct {
	Type      string   `json:"type"`
	URL       string   `json:"url"`
	Revisions []string `json:"supportedProtocolVersions,omitempty"`
}

// NewCard describes an MCP URL. Name is the last part of the name of the card.
func NewCard(
	info mcp.Implementation, name string, origin *url.URL, endpoint string,
) Card {
	const about = "Gives tasks to A2A agents and returns their answers."
	return Card{
		Schema:      "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
		Name:        reverseDNS(origin.Hostname()) + "/" + name,
		Version:     info.Version,
		Title:       info.Title,
		Description: cmp.Or(sanitize.Short(info.Description, 100), about),
		WebsiteURL:  origin.String(),
		Icons:       info.Icons,
		Remotes:     []remote{{"streamable-http", endpoint, mcp.Revisions()}},
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

// cards returns what programs read of an MCP URL before they connect, by path: its card, and the
// server.json for a registry.
func cards(
	info mcp.Implementation, name string, origin *url.URL, endpoint string,
) map[string]any {
	card := NewCard(info, name, origin, endpoint)
	entry := card
	entry.Schema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
	entry.Remotes = []remote{{Type: "streamable-http", URL: endpoint}}
	at := oauth.PathOf(endpoint)
	return map[string]any{
		at + "/server-card": wellknown.Typed{Doc: card, MediaType: CardType, MaxAge: time.Hour},
		at + "/server.json": entry,
	}
}
