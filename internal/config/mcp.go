package config

import "fmt"

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
	switch m.TaskCard {
	case TaskCardAuto, TaskCardAlways, TaskCardNever:
		return nil
	}
	return fmt.Errorf("mcp.task_card: %q is not auto, always or never", m.TaskCard)
}
