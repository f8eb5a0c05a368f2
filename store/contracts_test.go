package store_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"rialto/bridge/ledger"
	"rialto/store"
)

// each runs a test with an empty database of each engine.
func each(t *testing.T, test func(t *testing.T, empty func(*testing.T) *store.DB)) {
	for engine, dsn := range engines {
		t.Run(engine, func(t *testing.T) {
			test(t, func(t *testing.T) *store.DB { return open(t, dsn(t)) })
		})
	}
}

// observer gets each statement.
type observer func(statement string)

func (o observer) ObserveStatement(_ context.Context, statement string) func(error) {
	o(statement)
	return func(error) {}
}

// TestStatementsAboutTasksAreObserved adds a task and reads it. Tasks have connections of their own, which
// reported nothing: no statement about a task had a span on PostgreSQL.
func TestStatementsAboutTasksAreObserved(t *testing.T) {
	each(t, func(t *testing.T, open func(*testing.T) *store.DB) {
		db, ctx := open(t), t.Context()
		var seen []string
		db.Observe(observer(func(statement string) { seen = append(seen, strings.Fields(statement)[0]) }))
		if err := db.Ledger.AddTask(ctx, &ledger.Record{Handle: "task", Owner: "alice", Agent: "one", Created: time.Now(), Updated: time.Now()}, "replica", 10); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Ledger.Task(ctx, "alice", "task"); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(seen, []string{"INSERT", "SELECT"}) {
			t.Errorf("got %q, want an INSERT and a SELECT", seen)
		}
	})
}
