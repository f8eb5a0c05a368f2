package a2aserver

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"rialto/a2a"
	"rialto/internal/lru"
)

func TestANameIsGivenOnce(t *testing.T) {
	var n taskNames
	var begun atomic.Int32
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			id, settle, err := n.claim(t.Context(), "ann", "mine")
			if err != nil {
				t.Error(err)
				return
			}
			if id == "" {
				id = a2a.TaskID(fmt.Sprint("task-", begun.Add(1)))
				settle(id)
			}
			settle(id)
			if id != "task-1" {
				t.Errorf("got %s, want the one task that was begun", id)
			}
		})
	}
	all.Wait()
	if got := n.task("bob", "mine"); got != "" {
		t.Errorf("got %s for the name that another caller gave", got)
	}
}

func TestANameThatCameToNothingIsFree(t *testing.T) {
	var n taskNames
	_, settle, err := n.claim(t.Context(), "", "mine")
	if err != nil {
		t.Fatal(err)
	}
	waiting := make(chan a2a.TaskID)
	go func() {
		id, settle, _ := n.claim(context.WithoutCancel(t.Context()), "", "mine")
		settle("task-2")
		waiting <- id
	}()
	settle("")
	if id := <-waiting; id != "" {
		t.Errorf("got %q, want a name that means nothing yet", id)
	}
	if got := n.task("", "mine"); got != "task-2" {
		t.Errorf("got %s", got)
	}
}

func TestWhoWaitsForANameMayGiveUp(t *testing.T) {
	var n taskNames
	if _, _, err := n.claim(t.Context(), "", "mine"); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, _, err := n.claim(ctx, "", "mine"); err != context.Canceled {
		t.Errorf("got %v, want the end of the caller's context", err)
	}
}

func TestTheOldestNamesAreForgotten(t *testing.T) {
	var n taskNames
	for i := range lru.Size + 1 {
		_, settle, err := n.claim(t.Context(), "", a2a.TaskID(fmt.Sprint(i)))
		if err != nil {
			t.Fatal(err)
		}
		settle("task")
	}
	if n.has("", "0") || !n.has("", "1") {
		t.Errorf("got another number of names than the last %d", lru.Size)
	}
}
