package documents

import (
	"context"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
)

// findTasks returns the caller's tasks that a query is about.
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
