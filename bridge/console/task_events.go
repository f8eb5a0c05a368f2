package console

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/http"
	"time"

	"rialto/bridge/ledger"
	"rialto/bridge/operator"
	"rialto/internal/sse"
)

// The bounds of live pages. They poll the store, since another replica may follow the task.
const (
	pollInterval      = time.Second
	maxLiveTime       = 10 * time.Minute // then the browser asks again
	pollsUntilComment = 20               // polls without a change until a line that keeps the connection
	maxLivePages      = 200              // pages at once
	maxLivePagesUser  = 20               // those of one person
)

// snapshot is a digest of a page. ended means that the page does not change any more.
type snapshot struct {
	digest uint64
	ended  bool
}

// follow sends a page an event when what it shows has changed.
func (c *Console) follow(
	w http.ResponseWriter, r *http.Request, read func(context.Context) (snapshot, error),
) {
	leave, refused := c.watching.Acquire(user(r).User, maxLivePagesUser, maxLivePages)
	if refused != nil {
		w.Header().Set("Retry-After", "60")
		http.Error(
			w,
			"too many pages follow what happens; close some of them", http.StatusTooManyRequests,
		)
		return
	}
	defer leave()
	ctx, cancel := context.WithTimeout(r.Context(), maxLiveTime)
	defer cancel()
	before, err := read(ctx)
	if err != nil {
		http.NotFound(w, r)
		return
	}

	c.sendChanges(ctx, sse.NewWriter(w), before, read)
}

func (c *Console) sendChanges(
	ctx context.Context,
	out *sse.Writer,
	before snapshot,
	read func(context.Context) (snapshot, error),
) {
	err := out.Comment("watching")
	tick := time.Tick(pollInterval)
	for quiet := 0; err == nil && !before.ended; quiet++ {
		select {
		case <-ctx.Done():
			return
		case <-tick:
		}
		now, failed := read(ctx)
		switch {
		case failed != nil:
			return // the browser connects again
		case now != before:
			before = now
			quiet = 0
			err = out.Event(sse.Event{Type: "change", Data: []byte("{}")})
		case quiet >= pollsUntilComment:
			quiet = 0
			err = out.Comment("still watching")
		}
	}

	if err == nil {
		_ = out.Event(sse.Event{Type: "end", Data: []byte("{}")}) // the browser may have left
	}
}

// taskEvents sends the list of tasks an event when it has changed.
func (c adminTasks) taskEvents(w http.ResponseWriter, r *http.Request) {
	f := operator.TaskFilter{Span: span(r)}
	if _, err := c.parse(r, operator.Filters(&f)); err != nil {
		http.NotFound(w, r)
		return
	}

	c.follow(w, r, func(ctx context.Context) (snapshot, error) {
		page, err := c.Admin.Tasks(ctx, f)
		if err != nil {
			return snapshot{}, err
		}
		h := fnv.New64a()
		for _, t := range page.Items {
			fmt.Fprintln(h, t.ID, t.State, t.Updated.UnixMilli())
		}
		return snapshot{digest: h.Sum64()}, nil
	})
}

// oneTaskEvents sends the page of a task an event when the task has changed.
func (c adminTasks) oneTaskEvents(w http.ResponseWriter, r *http.Request) {
	id := param(r, "id")
	c.follow(w, r, func(ctx context.Context) (snapshot, error) {
		e, err := c.Admin.Task(ctx, id)
		if err != nil {
			return snapshot{}, err
		}
		return snapshotOf(e), nil
	})
}

func snapshotOf(e *ledger.Record) snapshot {
	return snapshot{uint64(e.Updated.UnixMilli()), e.Idle && e.State().Terminal()}
}
