package config

import (
	"fmt"
	"slices"
	"strings"
)

// MCP sets how the MCP endpoint treats clients.
type MCP struct {
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

func (m MCP) check() error {
	known := []string{TaskCardAuto, TaskCardAlways, TaskCardNever}
	if slices.Contains(known, m.TaskCard) {
		return nil
	}
	return fmt.Errorf("mcp.task_card: %q is not %s", m.TaskCard, strings.Join(known, " or "))
}
