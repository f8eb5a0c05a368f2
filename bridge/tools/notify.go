package tools

import (
	"rialto/bridge/documents"
	"rialto/mcp"
)

// AgentChanged tells MCP clients that the card of an agent has changed or, if agent is
// "", that the list of agents has.
func (t *Tools) AgentChanged(agent string) {
	switch {
	case t.Clients == nil:
	case agent == "":
		t.Clients.Changed(mcp.ResourcesChanged())
	default:
		t.Clients.Changed(mcp.ResourceUpdated(documents.CardURI(agent)))
	}
}

// TaskChanged tells the owner's MCP clients that a task has changed, or is new.
func (t *Tools) TaskChanged(owner, handle string, created bool) {
	if t.Clients == nil {
		return
	}
	t.Clients.Changed(mcp.ResourceUpdated(documents.TaskURI(handle)), owner)
	if created {
		t.Clients.Changed(mcp.ResourcesChanged(), owner)
	}
}
