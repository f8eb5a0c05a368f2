package tools

import (
	"rialto/bridge/documents"
	"rialto/mcp"
)

// NotifyAgent tells MCP clients that the card of an agent has changed or, if agent is
// "", that the list of agents has.
func (t *Tools) NotifyAgent(agent string) {
	switch {
	case t.Changed == nil:
	case agent == "":
		t.Changed(mcp.ResourcesChanged())
	default:
		t.Changed(mcp.ResourceUpdated(documents.CardURI(agent)))
	}
}

// NotifyTask tells the owner's MCP clients that a task has changed, or is new.
func (t *Tools) NotifyTask(owner, handle string, created bool) {
	if t.Changed == nil {
		return
	}
	t.Changed(mcp.ResourceUpdated(documents.TaskURI(handle)), owner)
	if created {
		t.Changed(mcp.ResourcesChanged(), owner)
	}
}
