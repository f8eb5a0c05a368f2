package a2aexec

import (
	"cmp"
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"rialto/a2a"
)

// The sizes of a page: what the protocol gives and allows (A2A 1.0 section 3.1.4).
const (
	pageSize    = 50
	maxPageSize = 100
)

var _ a2a.Lister = (*Executor)(nil)

// Tasks lists the tasks that are kept (a2a.Lister).
func (e *Executor) Tasks(_ context.Context, f a2a.TaskFilter) (*a2a.TaskPage, error) {
	after, err := readToken(f.PageToken)
	if err != nil {
		return nil, err
	}

	tasks := e.matching(f)
	p := &a2a.TaskPage{Size: min(orDefault(f.PageSize, pageSize), maxPageSize), Total: len(tasks)}
	if after != nil {
		tasks = slices.DeleteFunc(tasks, func(t *a2a.Task) bool { return latest(t, after) <= 0 })
	}
	if len(tasks) > p.Size {
		tasks = tasks[:p.Size]
		p.Next = token(tasks[p.Size-1])
	}

	for _, t := range tasks {
		t = t.WithHistory(f.HistoryLength)
		if !f.Artifacts {
			t.Artifacts = nil // the snapshot is ours
		}
		p.Tasks = append(p.Tasks, t)
	}

	return p, nil
}

// matching returns snapshots of the tasks that f wants, the latest first.
func (e *Executor) matching(f a2a.TaskFilter) []*a2a.Task {
	e.mu.Lock()
	records := slices.Clone(e.order)
	e.mu.Unlock()
	var tasks []*a2a.Task
	for _, r := range records {
		t, _ := r.snapshot()
		inContext := cmp.Or(f.ContextID, t.ContextID) == t.ContextID
		inState := cmp.Or(f.State, t.Status.State) == t.Status.State
		if inContext && inState && !t.Status.Timestamp.Before(f.Since) {
			tasks = append(tasks, t)
		}
	}

	slices.SortFunc(tasks, latest)
	return tasks
}

// latest orders tasks by the time of their status, the latest first, and by
// their ids where that is the same.
func latest(a, b *a2a.Task) int {
	return cmp.Or(b.Status.Timestamp.Compare(a.Status.Timestamp), cmp.Compare(a.ID, b.ID))
}

// token names the last task of a page by its place in the order, so that tasks
// that come or go meanwhile do not move the next page.
func token(t *a2a.Task) string {
	return base64.RawURLEncoding.EncodeToString(
		[]byte(t.Status.Timestamp.Format(time.RFC3339Nano) + " " + string(t.ID)),
	)
}

func readToken(s string) (*a2a.Task, error) {
	if s == "" {
		return nil, nil
	}

	b, err := base64.RawURLEncoding.DecodeString(s)
	when, id, found := strings.Cut(string(b), " ")
	at, timeErr := time.Parse(time.RFC3339Nano, when)
	if err != nil || timeErr != nil || !found {
		return nil, a2a.InvalidParam("pageToken", "is invalid")
	}

	return &a2a.Task{ID: a2a.TaskID(id), Status: a2a.Status{Timestamp: at}}, nil
}
