package runner

import (
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

// TestAWatcherThatFellBehindGetsTheTaskOfItsCursor has the agent go on between the moment that a
// watcher gets the whole task and the moment that it reads it. A later change must not be in it:
// the watcher gets that as an event, too.
func TestAWatcherThatFellBehindGetsTheTaskOfItsCursor(t *testing.T) {
	begun := time.UnixMilli(1000)
	f := &Follower{
		r:       &Runner{Now: time.Now},
		record:  &ledger.Record{Handle: "h", Task: &a2a.Task{ID: "t"}, Updated: begun},
		changed: make(chan struct{}),
	}
	f.feed.since = begun
	say := func() {
		f.record.Touch(begun)
		f.record.Task.Artifacts = append(f.record.Task.Artifacts, a2a.Artifact{ID: "a"})
		f.addChange(&a2a.ArtifactUpdate{Artifact: a2a.Artifact{ID: "a"}}, 1)
	}
	for range maxEvents + 1 {
		say()
	}
	changes, next, err := f.changesAfter(begun)
	if err != nil || next == nil || len(changes) != 1 || !changes[0].Whole {
		t.Fatalf("got %d changes, %v, want the whole task", len(changes), err)
	}
	say()
	got := changes[0].Record()
	if !got.Updated.Equal(changes[0].Updated) || len(got.Task.Artifacts) != maxEvents+1 {
		t.Errorf("got the task of %v with %d artifacts, want that of %v with %d",
			got.Updated, len(got.Task.Artifacts), changes[0].Updated, maxEvents+1)
	}
	later, _, _ := f.changesAfter(changes[0].Updated)
	if len(later) != 1 || later[0].Whole || later[0].Event() == nil {
		t.Errorf("got %+v, want the event after it", later)
	}
}
