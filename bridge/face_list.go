package bridge

import (
	"context"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

const (
	facePage  = 50       // what A2A 1.0 gives who asks for no size (section 3.1.4)
	faceBytes = 16 << 20 // of tasks in one page
)

// Tasks lists the caller's tasks with this agent (a2a.Lister).
func (f *Face) Tasks(ctx context.Context, q a2a.TaskFilter) (*a2a.TaskPage, error) {
	if !f.Known(ctx) {
		return nil, errNoAgent
	}
	filter := ledger.PageQuery{
		Agent: f.agent, ContextID: q.ContextID, State: q.State, Since: q.Since, Limit: facePage, MaxBytes: faceBytes,
	}
	if q.PageSize > 0 {
		filter.Limit = min(q.PageSize, largestPage)
	}
	if q.PageToken != "" {
		var ok bool
		if filter.After, ok = ledger.ParseMark(q.PageToken); !ok {
			return nil, a2a.Errorf(a2a.InvalidParams, "pageToken is not the nextPageToken of an earlier page; leave it out to start at the first")
		}
	}
	found, err := f.bridge.Lists.Page(ctx, f.bridge.Directory.Caller(ctx).User, filter)
	if err != nil {
		return nil, err
	}
	p := &a2a.TaskPage{Size: filter.Limit, Total: found.Total, Tasks: []*a2a.Task{}}
	for _, e := range found.Records {
		t := e.Public().WithHistory(q.HistoryLength)
		if !q.Artifacts {
			t.Artifacts = nil // show made it for us
		}
		p.Tasks = append(p.Tasks, t)
	}
	if found.More {
		last := found.Records[len(found.Records)-1]
		p.Next = ledger.Mark{Created: last.Updated, Handle: last.Handle}.String()
	}
	return p, nil
}
