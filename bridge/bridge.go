// Package bridge puts the parts of the bridge together: the directory of agents, the
// runner of tasks, documents, MCP tools and the A2A proxy. It has no behavior of its own.
package bridge

import (
	"context"

	"rialto/bridge/call"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/proxy"
	"rialto/bridge/runner"
	"rialto/bridge/tools"
)

// Bridge is all parts of a bridge. All fields are required.
type Bridge struct {
	Directory *directory.Directory
	Runner    *runner.Runner
	Documents *documents.Service
	Tools     *tools.Tools
	Proxy     *proxy.Proxy
	Calls     *call.Recorder
}

// New puts a bridge together from a runner and documents, and sets the fields that both have. Calls
// are recorded in sink, which may be nil.
func New(r *runner.Runner, l *documents.Service, sink call.Sink) *Bridge {
	calls := &call.Recorder{Sink: sink, Now: r.Now}
	l.Directory, l.Runner, l.Calls, l.URL, l.Log = r.Directory, r, calls, r.Directory.URL, r.Log
	if files := r.Uploads; files != nil {
		files.URL, files.Now, files.Log = r.Directory.URL, r.Now, r.Log
	}
	b := &Bridge{
		Directory: r.Directory,
		Runner:    r,
		Documents: l,
		Tools: &tools.Tools{
			Directory: r.Directory,
			Runner:    r,
			Documents: l,
			Calls:     calls,
		},
		Proxy: &proxy.Proxy{
			Directory: r.Directory,
			Runner:    r,
			Calls:     calls,
			Log:       r.Log,
		},
		Calls: calls,
	}
	if sink != nil {
		r.Publisher.Meter = &call.Meter{Directory: r.Directory, Sink: sink}
	}
	r.Publisher.Listeners = append(r.Publisher.Listeners, b.Tools)
	r.Directory.Listeners = append(r.Directory.Listeners, b.Tools)
	return b
}

// Start takes over the tasks that an earlier process left behind. With a task in
// Runner.Only, nothing else runs in the background.
func (b *Bridge) Start() {
	b.Runner.Start()
	if b.Runner.Only == "" {
		b.Documents.Start()
		b.Tools.Start()
	}
}

// Close stops following tasks, and waits until everything is written.
func (b *Bridge) Close() {
	if b.Runner.Only == "" {
		b.Tools.Close()
		b.Documents.Close()
	}
	b.Runner.Close()
	b.Directory.Close()
}

// Prune deletes tasks and shares that have been kept long enough.
func (b *Bridge) Prune(ctx context.Context) error {
	if err := b.Runner.Prune(ctx); err != nil {
		return err
	}
	if b.Runner.Uploads != nil {
		if err := b.Runner.Uploads.Prune(ctx); err != nil {
			return err
		}
	}
	return b.Documents.PruneShares(ctx)
}
