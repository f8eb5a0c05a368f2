package console

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/http"
	"sync/atomic"
	"time"

	"rialto/bridge/ledger"
	"rialto/internal/sse"
)

// The bounds of live pages. They poll the store, since another replica may follow the
// task.
const (
	lookEvery    = time.Second
	watchFor     = 10 * time.Minute // then the browser asks again
	quietFor     = 20               // looks without news until a line that keeps the connection
	mostWatching = 50               // pages at once
)

// watching counts the live pages.
type watching struct{ pages atomic.Int64 }

func (w *watching) enter() bool {
	if w.pages.Add(1) > mostWatching {
		w.pages.Add(-1)
		return false
	}
	return true
}

func (w *watching) leave() { w.pages.Add(-1) }

// sight is a digest of what a page shows. ended means that it does not change any more.
type sight struct {
	mark  uint64
	ended bool
}

// follow sends a page an event when what it shows has changed.
func (c *Console) follow(w http.ResponseWriter, r *http.Request, look func(context.Context) (sight, error)) {
	if !c.watching.enter() {
		w.Header().Set("Retry-After", "60")
		http.Error(w, "too many pages follow what happens; close some of them", http.StatusTooManyRequests)
		return
	}
	defer c.watching.leave()
	ctx, cancel := context.WithTimeout(r.Context(), watchFor)
	defer cancel()
	before, err := look(ctx)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	c.tell(ctx, sse.NewWriter(w), before, look)
}

func (c *Console) tell(ctx context.Context, out *sse.Writer, before sight, look func(context.Context) (sight, error)) {
	err := out.Comment("watching")
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for quiet := 0; err == nil && !before.ended; quiet++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now, failed := look(ctx)
		switch {
		case failed != nil:
			return // the browser connects again
		case now != before:
			before, quiet = now, 0
			err = out.Event(sse.Event{Type: "change", Data: []byte("{}")})
		case quiet >= quietFor:
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
	_, f := taskFilter(r)
	c.follow(w, r, func(ctx context.Context) (sight, error) {
		page, err := c.Admin.Tasks(ctx, f)
		if err != nil {
			return sight{}, err
		}
		h := fnv.New64a()
		for _, t := range page.Items {
			fmt.Fprintln(h, t.ID, t.State, t.Updated.UnixMilli())
		}
		return sight{mark: h.Sum64()}, nil
	})
}

// oneTaskEvents sends the page of a task an event when the task has changed.
func (c adminTasks) oneTaskEvents(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("id")
	c.follow(w, r, func(ctx context.Context) (sight, error) {
		e, err := c.Admin.Task(ctx, id)
		if err != nil {
			return sight{}, err
		}
		return seen(e), nil
	})
}

func seen(e *ledger.Record) sight {
	return sight{uint64(e.Updated.UnixMilli()), e.Idle && e.State().Terminal()}
}
