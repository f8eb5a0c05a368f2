package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge"
)

// storing is a rig with an agent that answers with 400 KiB, and what it may change: the clock and the limits.
func storing(t *testing.T, change func(*bridge.Bridge)) (r *rig, forward func(time.Duration)) {
	var ahead atomic.Int64
	agent := func() peer { return bigAgent(t, 400, make(chan struct{}, 99), closed()) }
	r = newRigWith(t, "", map[string]peer{"big": agent(), "other": agent()}, func(b *bridge.Bridge) {
		b.Runner.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
		change(b)
	})
	return r, func(d time.Duration) { ahead.Add(int64(d)) }
}

// TestTheStoredBytesOfAUserAreBounded fills the quota of a user. The task that grows beyond it ends there
// and keeps what came before; the next one is refused before its agent is asked. Both name the setting.
// Another user goes on, and so does this one when the tasks are old enough to be deleted.
func TestTheStoredBytesOfAUserAreBounded(t *testing.T) {
	r, forward := storing(t, func(b *bridge.Bridge) { b.Runner.Limits.StoredPerUser = 600 << 10 })
	r.call("send_task", `{"agent":"big","message":"go"}`).want(t, a2a.Completed, false)
	cut := r.call("send_task", `{"agent":"other","message":"go"}`)
	if cut.State != a2a.Failed || !strings.Contains(cut.Text, "limits.stored_per_user") || len(cut.Artifacts) == 0 {
		t.Errorf("got %s, %d artifacts, %.300q; want a task that was cut, and the limit's name", cut.State, len(cut.Artifacts), cut.Text)
	}
	r.call("send_task", `{"agent":"big","message":"go"}`).refused(t, "limits.stored_per_user")
	r.call("send_task", `{"agent":"big","message":"go","message_id":"1"}`).refused(t, "limits.stored_per_user")
	r.callAs("bob", "send_task", `{"agent":"big","message":"go"}`, func(string) {}).want(t, a2a.Completed, false)

	forward(181 * 24 * time.Hour)
	if err := r.Runner.Prune(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.call("send_task", `{"agent":"big","message":"go"}`).want(t, a2a.Completed, false)
}

// TestTheStoredBytesOfAnAgentAreBounded has users fill the quota of an agent together. Another agent goes on.
func TestTheStoredBytesOfAnAgentAreBounded(t *testing.T) {
	r, _ := storing(t, func(b *bridge.Bridge) { b.Runner.Limits.StoredPerAgent = 1 << 20 })
	for n := range 2 {
		r.callAs(fmt.Sprint("user ", n), "send_task", `{"agent":"big","message":"go"}`, func(string) {}).want(t, a2a.Completed, false)
	}
	if cut := r.call("send_task", `{"agent":"big","message":"go"}`); cut.State != a2a.Failed || !strings.Contains(cut.Text, "limits.stored_per_agent") {
		t.Errorf("got %s, %.300q; want a task that was cut, and the limit's name", cut.State, cut.Text)
	}
	r.call("send_task", `{"agent":"big","message":"go"}`).refused(t, "limits.stored_per_agent")
	r.call("send_task", `{"agent":"other","message":"go"}`).want(t, a2a.Completed, false)
}

// TestAFullQuotaIsKnownAfterARestart: the quota counts what the ledger has, not what a process wrote.
func TestAFullQuotaIsKnownAfterARestart(t *testing.T) {
	r, _ := storing(t, func(*bridge.Bridge) {})
	r.call("send_task", `{"agent":"big","message":"go"}`).want(t, a2a.Completed, false)
	next := newRigWith(t, "", map[string]peer{"big": bigAgent(t, 400, make(chan struct{}, 9), closed())}, func(b *bridge.Bridge) {
		b.Runner.Ledger, b.Runner.Limits.StoredPerUser = r.Runner.Ledger, 300<<10
	})
	next.call("send_task", `{"agent":"big","message":"go"}`).refused(t, "limits.stored_per_user")
}

// TestAFullQuotaIsAnErrorOfA2A: through A2A, a client reads a code that it can act on.
func TestAFullQuotaIsAnErrorOfA2A(t *testing.T) {
	r, _ := storing(t, func(b *bridge.Bridge) { b.Runner.Limits.StoredPerUser = 300 << 10 })
	face := r.Proxy.Agent("big")
	ctx := as(context.Background(), "alice")
	sent(t, face, ctx, say("go"))
	_, err := face.Send(ctx, say("go again"))
	var e *a2a.Error
	if !errors.As(err, &e) || e.Code != a2a.RateLimited || !strings.Contains(e.Message, "limits.stored_per_user") {
		t.Errorf("got %v, want the code %s and the limit's name", err, a2a.RateLimited)
	}
}
