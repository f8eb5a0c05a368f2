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

// handler returns the function of a tool whose arguments have the type A. An error of do becomes
// a result.
func handler[A any](
	t *Tools, do func(ctx context.Context, c *mcp.Call, args *A) (*mcp.Result, error),
) func(context.Context, *mcp.Call) (*mcp.Result, error) {
	return func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		args := new(A)
		if wrong := c.Decode(args); wrong != nil {
			return wrong, nil
		}
		r, err := do(ctx, c, args)
		if err != nil {
			return t.errorResult(ctx, err)
		}
		return r, nil
	}
}

// List returns the tools in the order in which clients list them.
func (t *Tools) List() []mcp.Tool {
	tools := t.ownTools()
	return t.withCard(append(tools, t.skillTools().tools...))
}

// ownTools returns the tools that do not depend on the agents, without those of the task card.
func (t *Tools) ownTools() []mcp.Tool {
	tools := []mcp.Tool{
		t.search(), t.fetch(),
		t.sendTask(), t.getTask(), t.cancelTask(), t.listTasks(),
		t.listAgents(), t.getAgent(),
	}
	if t.Runner.Uploads != nil {
		tools = append(tools, requestUpload(t))
	}
	if t.Documents.Sharing != nil {
		tools = append(tools, t.share())
	}
	return tools
}
