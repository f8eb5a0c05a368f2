package bridge_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rialto/bridge"
	"rialto/bridge/ledger"
)

// silentIndex says nothing when it is asked for the first time, as a database behind
// a connection that has died.
type silentIndex struct {
	ledger.Index
	asked atomic.Int64
}

func (i *silentIndex) IndexTasks(ctx context.Context, most int) (bool, error) {
	if i.asked.Add(1) == 1 {
		<-ctx.Done()
		return false, ctx.Err()
	}
	return i.Index.IndexTasks(ctx, most)
}

func TestAnIndexThatFellSilentIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := &silentIndex{}
		newRigWith(t, "", nil, func(b *bridge.Bridge) {
			silent.Index = b.Documents.Index
			b.Documents.Index = silent
		})
		time.Sleep(5 * time.Minute)
		if silent.asked.Load() < 2 {
			t.Error("it was asked once")
		}
	})
}
