// Package tools offers agents, tasks and documents as MCP tools, resources and tasks. It
// decodes arguments, calls packages directory, runner and documents, and puts the
// answers into MCP results. It does not run tasks.
package tools

import (
	"context"
	"sync"
	"sync/atomic"

	"rialto/bridge/call"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/runner"
	"rialto/mcp"
)

// Tools are the tools of an MCP server. Directory, Runner, Documents and Calls are
// required.
type Tools struct {
	Directory *directory.Directory
	Runner    *runner.Runner
	Documents *documents.Service
	Calls     *call.Recorder
	Card      bool // the results of tasks have the task card

	Clients Clients // nil: no clients are notified

	Events bool // clients can subscribe to events

	stop    context.CancelFunc
	wg      sync.WaitGroup
	skills  atomic.Pointer[skillTools]
	reading sync.Mutex // held while skills are read
}

// Clients notifies the clients of an MCP server. Its methods must not block.
type Clients interface {
	// Changed tells the clients of the owners what has changed; all clients if there are no owners.
	Changed(c mcp.Change, owners ...string)

	// ToolsChanged says that List returns other tools than before.
	ToolsChanged()
}

// Start keeps the tools of skills up to date until Close.
func (t *Tools) Start() {
	ctx, stop := context.WithCancel(context.Background())
	t.stop = stop
	t.wg.Go(func() { t.keepSkills(ctx) })
}

// Close ends what Start began.
func (t *Tools) Close() {
	t.stop()
	t.wg.Wait()
}

// List returns the tools in the order in which clients list them.
func (t *Tools) List() []mcp.Tool {
	tools := t.ownTools()
	if skills := t.skills.Load(); skills != nil {
		tools = append(tools, skills.tools...)
	}
	return t.withCard(tools)
}

// ownTools returns the tools that do not depend on the agents, without those of the task card.
func (t *Tools) ownTools() []mcp.Tool {
	tools := []mcp.Tool{
		t.search(), t.fetch(),
		t.sendTask(), t.getTask(), t.cancelTask(), t.listTasks(),
		t.listAgents(), t.getAgent(),
	}
	if t.Documents.Sharing != nil {
		tools = append(tools, t.share())
	}
	return tools
}
