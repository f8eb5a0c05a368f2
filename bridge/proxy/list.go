package proxy

import (
	"context"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
)

const (
	defaultPageSize = 50      // what A2A 1.0 gives who asks for no size (section 3.1.4)
	maxPageBytes    = 3 << 20 // of tasks in one page: clients of gRPC take messages of 4 MiB
)

// Tasks lists the caller's tasks with this agent (a2a.Lister).
func (f *Agent) Tasks(ctx context.Context, q a2a.TaskFilter) (*a2a.TaskPage, error) {
	if !f.Exists(ctx) {
		return nil, errAgentNotFound
	}

	filter := ledger.PageQuery{
		Agent:     f.name,
		ContextID: q.ContextID,
		State:     q.State,
		Since:     q.Since,
		Limit:     defaultPageSize,
		MaxBytes:  maxPageBytes,
	}
	if q.PageSize > 0 {
		filter.Limit = min(q.PageSize, runner.LargestPage)
	}

	after, err := ledger.ParseMark(q.PageToken)
	if err != nil {
		return nil, a2a.InvalidParam(
			"pageToken",
			"is not the nextPageToken of an earlier page; leave it out to start at the first",
		)
	}

	filter.After = after
	found, err := f.proxy.Runner.Page(ctx, f.access(ctx), filter)
	if err != nil {
		return nil, err
	}

	p := &a2a.TaskPage{Size: filter.Limit, Total: found.Total, Tasks: []*a2a.Task{}}
	for _, e := range found.Records {
		t := e.Public().WithHistory(q.HistoryLength)
		if !q.Artifacts {
			t.Artifacts = nil // Public returned a copy
		}
		p.Tasks = append(p.Tasks, t)
	}

	if found.More {
		last := found.Records[len(found.Records)-1]
		p.Next = ledger.Mark{Created: last.Updated, Handle: last.Handle}.String()
	}

	return p, nil
}
