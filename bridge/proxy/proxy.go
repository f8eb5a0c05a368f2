// Package proxy serves an agent of the directory to A2A callers: an a2a.Agent over the
// ledger, so that a task outlives its caller and this process, and belongs to its owner.
// It knows A2A. It does not know MCP, pages, or the wire.
package proxy

import (
	"log/slog"

	"rialto/bridge/call"
	"rialto/bridge/directory"
	"rialto/bridge/runner"
)

// Proxy serves the agents of a directory. All fields are required.
type Proxy struct {
	Directory *directory.Directory
	Runner    *runner.Runner
	Calls     *call.Recorder
	Log       *slog.Logger
}
