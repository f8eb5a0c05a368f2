package documents

import (
	"context"
	"slices"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
)

const (
	indexEvery = 100 * time.Millisecond
	indexFor   = time.Minute
	indexBatch = 100 // one by one they cost twice as much, but the ledger waits meanwhile
)

// keepIndex indexes idle tasks until running ends.
func (sv *Service) keepIndex(running context.Context) {
	tick := time.Tick(indexEvery)
	for {
		begun := time.Now()
		ctx, cancel := context.WithTimeout(running, indexFor)
		more, err := sv.Index.IndexTasks(ctx, indexBatch)
		cancel()
		next := tick
		if err != nil && running.Err() == nil {
			sv.Log.ErrorContext(running, "indexing tasks", "err", err)
		} else if more {
			next = time.After(time.Since(begun)) // others want to write, too
		}
		select {
		case <-running.Done():
			return
		case <-next:
		}
	}
}

// FindTasks returns the tasks of the caller that match a query and f, the latest first. The index has
// no running tasks, so it compares the beginnings of their requests.
func (sv *Service) FindTasks(
	ctx context.Context, access directory.Access, query string, f ledger.Filter,
) ([]ledger.Summary, error) {
	words := ledger.QueryWords(query)
	if sv.Index == nil || len(words) == 0 {
		return nil, nil
	}

	found, err := sv.Index.FindTasks(ctx, access.User(), words, mostFound)
	if err != nil {
		return nil, err
	}

	for _, state := range []a2a.State{a2a.Submitted, a2a.Working} {
		running, _, err := sv.Runner.Summaries(
			ctx,
			access,
			ledger.Filter{State: state, Limit: mostFound},
			"",
		)
		if err != nil {
			return nil, err
		}
		for _, t := range running {
			if containsAll(t.Agent+" "+t.Asked+" "+t.Message, words) {
				found = append(found, t)
			}
		}
	}

	found = slices.DeleteFunc(found, func(t ledger.Summary) bool {
		return f.Agent != "" && t.Agent != f.Agent || f.State != "" && t.State != f.State ||
			!sv.Directory.AllowsTasks(access, t.Agent)
	})
	slices.SortStableFunc(
		found, func(a, b ledger.Summary) int { return b.Created.Compare(a.Created) },
	)
	return found[:min(len(found), f.Limit)], nil
}

// mostFound bounds the tasks that FindTasks looks at.
const mostFound = 200

// findTasks returns the tasks of the caller that match a query.
func (sv *Service) findTasks(ctx context.Context, access directory.Access, query string) []Hit {
	words := ledger.QueryWords(query)
	if sv.Index == nil || len(words) == 0 {
		return nil
	}
	found, err := sv.Index.FindTasks(ctx, access.User(), words, maxHits)
	if err != nil {
		sv.Log.ErrorContext(ctx, "searching tasks", "err", err)
		return nil
	}
	var hits []Hit
	for _, t := range found {
		if !sv.Directory.AllowsTasks(access, t.Agent) {
			continue
		}
		id := TaskID(t.TaskID)
		title := "Task of " + t.Agent + ", " + string(t.State)
		for _, words := range []string{t.Asked, t.Message} {
			if words != "" {
				title += ": " + sanitize.Truncate(words, 200)
			}
		}
		hits = append(hits, Hit{ID: id, Title: title, URL: sv.DocumentURL(id)})
	}
	return hits
}
