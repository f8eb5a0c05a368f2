package bridge_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"rialto/a2a/a2aexec"
	"rialto/bridge"
)

// TestTasksAreKeptAsLongAsTheirAgentSays looks at the ledger a month and half a
// year later.
func TestTasksAreKeptAsLongAsTheirAgentSays(t *testing.T) {
	agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error { turn.Complete("done"); return nil })
	var days atomic.Int64 // by which the clock is set forward
	r := newRigWith(t, "", map[string]peer{"short": agent, "usual": agent, "long": agent}, func(b *bridge.Bridge) {
		b.Now = func() time.Time { return time.Now().AddDate(0, 0, int(days.Load())) }
	})
	for i, a := range r.Agents {
		r.Agents[i].Retention = map[string]time.Duration{"short": 24 * time.Hour, "long": 365 * 24 * time.Hour}[a.Name]
	}
	r.SetAgents(r.Agents)
	tasks := map[string]string{}
	for _, name := range []string{"short", "usual", "long"} {
		tasks[name] = r.call("send_task", `{"agent":"`+name+`","message":"x"}`).TaskID
	}
	for _, step := range []struct {
		days int64
		gone map[string]bool
	}{
		{0, nil},
		{30, map[string]bool{"short": true}},
		{180, map[string]bool{"short": true, "usual": true}},
		{400, map[string]bool{"short": true, "usual": true, "long": true}},
	} {
		days.Store(step.days)
		if err := r.Prune(t.Context()); err != nil {
			t.Fatal(err)
		}
		for name, id := range tasks {
			if gone := r.call("get_task", `{"task_id":"`+id+`"}`).IsError; gone != step.gone[name] {
				t.Errorf("after %d days, agent %s: gone is %v, want %v", step.days, name, gone, step.gone[name])
			}
		}
	}
}
