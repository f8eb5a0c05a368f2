// Package documents shows what tasks and agents hold: search and fetch, MCP resources,
// downloads, shares, and tasks as results and pages. It writes shares and nothing else: it passes the
// answer to a task on to package runner. It does not know the MCP tools.
package documents

import (
	"context"
	"log/slog"
	"sync"

	"rialto/bridge/call"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
)

// Service finds and shows documents. Directory, Runner, Calls and Log are required.
type Service struct {
	Directory *directory.Directory
	Runner    *runner.Runner

	// Index finds tasks by their words; nil: search does not look at tasks.
	Index ledger.Index

	// Downloads makes links to files that are too large for a result; nil: there are none.
	Downloads *Downloads

	// Accounts are those of the owners of links; nil: all owners are active.
	Accounts Accounts

	// Sharing makes links to documents for others; nil: there are none.
	Sharing *Sharing

	Calls *call.Recorder // of pages

	URL string // where /documents/ is served, without a trailing slash
	Log *slog.Logger

	stop context.CancelFunc
	wg   sync.WaitGroup
}

// Accounts knows who may use Rialto.
type Accounts interface {
	// Active reports whether a user may still use Rialto. Links of other users do not work.
	Active(ctx context.Context, user string) (bool, error)
}

// Start indexes tasks in the background until Close.
func (sv *Service) Start() {
	ctx, stop := context.WithCancel(context.Background())
	sv.stop = stop
	if sv.Index != nil {
		sv.wg.Go(func() { sv.keepIndex(ctx) })
	}
}

// Close ends what Start began.
func (sv *Service) Close() {
	sv.stop()
	sv.wg.Wait()
}
