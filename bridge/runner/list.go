package runner

import (
	"context"
	"fmt"

	"rialto/bridge/directory"
	"rialto/bridge/ledger"
)

// maxListReads is how often a page is looked for on which something is for the caller.
const maxListReads = 20

// Summaries returns a page of the tasks of the caller, and the cursor of the next page,
// "" at the end. It reads one task more than a page to know whether there are more, and
// skips hidden tasks, so that neither an empty page nor a cursor shows that they exist.
func (r *Runner) Summaries(
	ctx context.Context, access directory.Access, f ledger.Filter, cursor string,
) ([]ledger.Summary, string, error) {
	after, err := ledger.ParseMark(cursor)
	if err != nil {
		return nil, "", err
	}

	f.After = after
	all := []ledger.Summary{}
	limit := f.Limit
	if f.Agent != "" && !r.Directory.AllowsTasks(access, f.Agent) {
		return all, "", nil
	}

	f.Limit++
	for range maxListReads {
		tasks, err := r.Lists.Summaries(ctx, access.User(), f)
		if err != nil {
			return nil, "", fmt.Errorf("listing tasks: %w", err)
		}
		for _, t := range tasks {
			switch {
			case !r.Directory.AllowsTasks(access, t.Agent):
			case len(all) == limit:
				return all, all[limit-1].Mark(), nil
			default:
				all = append(all, t)
			}
		}
		if len(tasks) < f.Limit {
			return all, "", nil
		}
		last := tasks[len(tasks)-1]
		f.After = ledger.Mark{Created: last.Created, Handle: last.TaskID}
	}

	return all, f.After.String(), nil
}

// Page returns a page of the tasks of one agent, the latest changed first. Those of an agent
// that the call may not know of are not found.
func (r *Runner) Page(
	ctx context.Context, access directory.Access, q ledger.PageQuery,
) (*ledger.Page, error) {
	if !r.Directory.AllowsTasks(access, q.Agent) {
		return &ledger.Page{}, nil
	}
	return r.Lists.Page(ctx, access.User(), q)
}

// TaskNamed returns the handle of the latest task at an agent that the caller gave a name, or
// ErrNoTask.
func (r *Runner) TaskNamed(
	ctx context.Context, access directory.Access, agent, name string,
) (string, error) {
	if !r.Directory.AllowsTasks(access, agent) {
		return "", ledger.ErrNoTask
	}
	return r.Lists.TaskNamed(ctx, access.User(), agent, name)
}

const (
	DefaultPage = 20
	LargestPage = 100
)
