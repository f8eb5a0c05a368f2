package config

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// MCP sets how the MCP endpoint treats clients.
type MCP struct {
	Name          string `koanf:"name"`           // in serverInfo; see NameAt
	Strict        bool   `koanf:"strict"`         // refuse requests that mix revisions
	PublicListing bool   `koanf:"public_listing"` // list the tools without a token
	Events        bool   `koanf:"events"`         // tell clients what happens
	TaskCard      string `koanf:"task_card"`      // which clients get the task card
}

// The values of mcp.task_card.
const (
	TaskCardAuto   = "auto" // those that declare MCP Apps, and those that are known to show them
	TaskCardAlways = "always"
	TaskCardNever  = "never"
)

// mcpName is what clients can make a part of the names of tools.
var mcpName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

var notInMCPNames = regexp.MustCompile(`[^a-z0-9]+`)

// NameAt returns the name in MCP of the server at a URL. Claude takes two servers of one name for the same, so
// it is made of the public host: rialto-example-com.
func (m MCP) NameAt(public string) string {
	u, err := url.Parse(public)
	if m.Name != "" || err != nil {
		return cmp.Or(m.Name, "rialto")
	}
	if Loopback(u.Hostname()) {
		return "rialto"
	}

	name := strings.Trim(notInMCPNames.ReplaceAllString(strings.ToLower(u.Hostname()), "-"), "-")
	if !strings.HasPrefix(name, "rialto") {
		name = "rialto-" + name
	}

	return strings.Trim(name[:min(len(name), 64)], "-")
}

func (m MCP) check() error {
	if m.Name != "" && !mcpName.MatchString(m.Name) {
		return fmt.Errorf(
			"mcp.name: %q must be 1 to 64 of a-z, 0-9 and -, starting with a letter or digit", m.Name,
		)
	}

	known := []string{TaskCardAuto, TaskCardAlways, TaskCardNever}
	if slices.Contains(known, m.TaskCard) {
		return nil
	}

	return fmt.Errorf("mcp.task_card: %q is not %s", m.TaskCard, strings.Join(known, " or "))
}
