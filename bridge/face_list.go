package bridge

import (
	"context"
	"time"

	"rialto/a2a"
)

// PageFilter chooses tasks of one owner, the latest changed first. Empty fields
// do not filter.
type PageFilter struct {
	Agent     string
	ContextID string // the agent's or the caller's word for it
	State     a2a.State
	Since     time.Time // changed then or later
	After     TaskMark  // only what comes after this task in the list; Created is when it changed
	Limit     int       // at most so many; required
	MaxBytes  int       // no more after the task that passes this; required
}

// Page is some of the tasks that fit a filter.
type Page struct {
	Entries []*Entry
	More    bool // there are others after these
	Total   int  // how many fit, on any page
}

const (
	facePage  = 50       // what A2A 1.0 gives who asks for no size (section 3.1.4)
	faceBytes = 16 << 20 // of tasks in one page
)

// Tasks lists the caller's tasks with this agent (a2a.Lister).
func (f *Face) Tasks(ctx context.Context, q a2a.TaskFilter) (*a2a.TaskPage, error) {
	if !f.Known(ctx) {
		return nil, errNoAgent
	}
	filter := PageFilter{
		Agent: f.agent, ContextID: q.ContextID, State: q.State, Since: q.Since, Limit: facePage, MaxBytes: faceBytes,
	}
	if q.PageSize > 0 {
		filter.Limit = min(q.PageSize, largestPage)
	}
	if q.PageToken != "" {
		var ok bool
		if filter.After, ok = parseMark(q.PageToken); !ok {
			return nil, a2a.Errorf(a2a.InvalidParams, "pageToken is not the nextPageToken of an earlier page; leave it out to start at the first")
		}
	}
	found, err := f.bridge.Ledger.Page(ctx, f.bridge.Caller(ctx).User, filter)
	if err != nil {
		return nil, err
	}
	p := &a2a.TaskPage{Size: filter.Limit, Total: found.Total, Tasks: []*a2a.Task{}}
	for _, e := range found.Entries {
		t := e.show().WithHistory(q.HistoryLength)
		if !q.Artifacts {
			t.Artifacts = nil // show made it for us
		}
		p.Tasks = append(p.Tasks, t)
	}
	if found.More {
		last := found.Entries[len(found.Entries)-1]
		p.Next = TaskMark{last.Updated, last.Handle}.String()
	}
	return p, nil
}
