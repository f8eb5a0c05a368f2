package a2a

import (
	"context"
	"time"
)

// Lister is an Agent that can list its tasks (A2A 1.0 section 3.1.4). It is found by type
// assertion; an agent that only learns by asking that it cannot list answers UnsupportedOperation.
type Lister interface {
	// Tasks returns a page of the tasks that fit, the latest status first.
	Tasks(context.Context, TaskFilter) (*TaskPage, error)
}

// TaskFilter says which tasks to list. Its zero value lists all.
type TaskFilter struct {
	ContextID string
	State     State     // "" is any
	Since     time.Time // tasks whose status is not older; zero is any
	PageSize  int       // at most; 0 leaves it to the agent
	PageToken string    // TaskPage.Next of the page before

	HistoryLength *int // as in SendRequest
	Artifacts     bool // whether the tasks come with theirs
}

// TaskPage is some of the tasks that fit a filter.
type TaskPage struct {
	Tasks []*Task
	Next  string // TaskFilter.PageToken for the next page; "" at the end
	Size  int    // how many tasks a page may hold
	Total int    // how many tasks fit
}
