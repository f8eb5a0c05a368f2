package documents

import (
	"context"
	"time"
)

const (
	indexEvery = 100 * time.Millisecond
	indexFor   = time.Minute
	indexBatch = 100 // one by one they cost twice as much, but the ledger waits meanwhile
)

// keepIndex indexes what settles, until the bridge closes.
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
