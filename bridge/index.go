package bridge

import (
	"context"
	"time"

	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
)

const (
	indexEvery = 100 * time.Millisecond
	indexFor   = time.Minute
	indexBatch = 100 // one by one they cost twice as much, but the ledger waits meanwhile
)

// keepIndex indexes what settles, until the bridge closes.
func (b *Bridge) keepIndex() {
	tick := time.NewTicker(indexEvery)
	defer tick.Stop()
	for {
		begun := time.Now()
		ctx, cancel := context.WithTimeout(b.running, indexFor)
		more, err := b.Index.IndexTasks(ctx, indexBatch)
		cancel()
		next := tick.C
		if err != nil {
			b.complain("indexing tasks", err)
		} else if more {
			next = time.After(time.Since(begun)) // others want to write, too
		}
		select {
		case <-b.running.Done():
			return
		case <-next:
		}
	}
}

// findTasks returns the caller's tasks that a query is about.
func (b *Bridge) findTasks(ctx context.Context, query string) []Hit {
	words := ledger.QueryWords(query)
	if b.Index == nil || len(words) == 0 {
		return nil
	}
	found, err := b.Index.FindTasks(ctx, b.Directory.Caller(ctx).User, words, maxHits)
	if err != nil {
		b.complain("searching tasks", err)
		return nil
	}
	var hits []Hit
	for _, t := range found {
		if b.Directory.Hides(ctx, t.Agent) {
			continue
		}
		id := taskID(t.TaskID)
		title := "Task of " + t.Agent + ", " + string(t.State)
		for _, words := range []string{t.Asked, t.Message} {
			if words != "" {
				title += ": " + sanitize.Truncate(words, 200)
			}
		}
		hits = append(hits, Hit{ID: id, Title: title, URL: b.documentURL(id)})
	}
	return hits
}
