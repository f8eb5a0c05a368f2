package config

import (
	"errors"
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

	// SEP-3415 leaves these open, or its implementations do not agree.
	EventErrors     string `koanf:"event_errors"`     // the numbers of errors
	EventWebhookID  string `koanf:"event_webhook_id"` // what webhook-id identifies
	EventSubscriber string `koanf:"event_subscriber"` // whom a subscription belongs to
}

// The values of mcp.task_card.
const (
	TaskCardAuto   = "auto" // those that declare MCP Apps, and those that are known to show them
	TaskCardAlways = "always"
	TaskCardNever  = "never"
)

// The values of mcp.event_errors, mcp.event_webhook_id and mcp.event_subscriber.
const (
	EventErrorsAuto        = "auto" // those of the SEP for clients that declare the extension, of the sketch for others
	EventErrorsSEP         = "sep-3415"
	EventErrorsSketch      = "sketch"
	EventWebhookIDEvent    = "event"
	EventWebhookIDMessage  = "message"
	EventSubscriberClient  = "client"
	EventSubscriberAccount = "account"
)

func (m MCP) check() error {
	return errors.Join(
		oneOf("mcp.task_card", m.TaskCard, TaskCardAuto, TaskCardAlways, TaskCardNever),
		oneOf("mcp.event_errors", m.EventErrors, EventErrorsAuto, EventErrorsSEP, EventErrorsSketch),
		oneOf("mcp.event_webhook_id", m.EventWebhookID, EventWebhookIDEvent, EventWebhookIDMessage),
		oneOf("mcp.event_subscriber", m.EventSubscriber, EventSubscriberClient, EventSubscriberAccount),
	)
}

func oneOf(key, value string, known ...string) error {
	if slices.Contains(known, value) {
		return nil
	}
	return fmt.Errorf("%s: %q is not %s", key, value, strings.Join(known, " or "))
}
