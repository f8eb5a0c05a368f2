package documents

import (
	"context"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"time"
)

const (
	indexEvery = 100 * time.Millisecond
	indexFor   = time.Minute
	indexBatch = 100 // one by one they cost twice as much, but the ledger waits meanwhile
)

// keepIndex indexes idle tasks until running ends.
func (l *Library) keepIndex(running context.Context) {
	tick := time.NewTicker(indexEvery)
	defer tick.Stop()
	for {
		begun := time.Now()
		ctx, cancel := context.WithTimeout(running, indexFor)
		more, err := l.Index.IndexTasks(ctx, indexBatch)
		cancel()
		next := tick.C
		if err != nil && running.Err() == nil {
			l.Log.Error("indexing tasks", "err", err)
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

// findTasks returns the tasks of the caller that match a query.
func (l *Library) findTasks(ctx context.Context, query string) []Hit {
	words := ledger.QueryWords(query)
	if l.Index == nil || len(words) == 0 {
		return nil
	}
	found, err := l.Index.FindTasks(ctx, l.Directory.Caller(ctx).User, words, maxHits)
	if err != nil {
		l.Log.Error("searching tasks", "err", err)
		return nil
	}
	var hits []Hit
	for _, t := range found {
		if l.Directory.Hides(ctx, t.Agent) {
			continue
		}
		id := taskID(t.TaskID)
		title := "Task of " + t.Agent + ", " + string(t.State)
		for _, words := range []string{t.Asked, t.Message} {
			if words != "" {
				title += ": " + sanitize.Truncate(words, 200)
			}
		}
		hits = append(hits, Hit{ID: id, Title: title, URL: l.DocumentURL(id)})
	}
	return hits
}
