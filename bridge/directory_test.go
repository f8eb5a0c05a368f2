package bridge_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/bridge"
	"rialto/bridge/directory"
)

// changing is a rig whose agents are counted when they are dialled.
func changing(t *testing.T, run func(context.Context, *a2aexec.Turn) error) (r *rig, dialled *atomic.Int64) {
	dialled = &atomic.Int64{}
	agent := running(t, run)
	r = newRigWith(t, "", map[string]peer{}, func(b *bridge.Bridge) {
		who := b.Directory.Caller
		b.Directory.Caller = func(ctx context.Context) directory.Caller { // who sees the tasks of agents that are gone
			c := who(ctx)
			c.AllUseCases = true
			return c
		}
		b.Directory.Dialer = dialFunc(func(context.Context, directory.AgentConfig) (directory.Conn, error) {
			dialled.Add(1)
			return agent, nil
		})
	})
	return r, dialled
}

func answers(_ context.Context, turn *a2aexec.Turn) error { turn.Complete("done"); return nil }

// TestACardThatWasAcceptedIsReadOnceItsAgentIsThere accepts a card while its agent is
// away, which is called as before meanwhile.
func TestACardThatWasAcceptedIsReadOnceItsAgentIsThere(t *testing.T) {
	var away atomic.Bool
	var dialled, later atomic.Int64
	agent := running(t, answers)
	r := newRigWith(t, "", map[string]peer{}, func(b *bridge.Bridge) {
		b.Directory.Dialer = dialFunc(func(context.Context, directory.AgentConfig) (directory.Conn, error) {
			if dialled.Add(1); away.Load() {
				return nil, errors.New("away")
			}
			return agent, nil
		})
		b.Runner.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	})
	agents := []directory.AgentConfig{{Name: "one", URL: "http://one", Review: true}, {Name: "two", URL: "http://two"}}
	for _, step := range []struct {
		name     string
		accepted bool
		away     bool
		passes   time.Duration
		want     int64 // how often it was asked by then
	}{
		{"at first", true, false, 0, 1},
		{"again", false, false, time.Second, 1},
		{"a card is accepted", true, false, 0, 2},
		{"it is read", false, false, time.Second, 2},
		{"a card is accepted, and the agent is away", true, true, 0, 3},
		{"it is not dialed for each call", false, true, time.Second, 3},
		{"after a while it is asked again", false, true, time.Minute, 4},
		{"it is there", false, false, time.Minute, 5},
		{"and that is it", false, false, time.Minute, 5},
	} {
		if away.Store(step.away); step.accepted {
			r.Directory.SetAgents(agents)
		}
		later.Add(int64(step.passes))
		r.call("send_task", `{"agent":"one","message":"x"}`).want(t, a2a.Completed, false)
		if got := dialled.Load(); got != step.want {
			t.Errorf("%s: it was asked %d times, want %d", step.name, got, step.want)
		}
	}
}

func TestAgentsComeAndGoWhileTheBridgeRuns(t *testing.T) {
	r, dialled := changing(t, answers)
	send := func() *answer { return r.call("send_task", `{"agent":"one","message":"x"}`) }
	send().refused(t, `There is no agent named "one"`)

	one := directory.AgentConfig{Name: "one", URL: "http://one"}
	r.Directory.SetAgents([]directory.AgentConfig{one})
	send().want(t, a2a.Completed, false)
	if got := r.call("send_task", `{"message":"x"}`); got.State != a2a.Completed {
		t.Errorf("the only agent is not the one that is meant: %s", got.Text)
	}

	one.UseCases, one.Disabled = nil, true
	r.Directory.SetAgents([]directory.AgentConfig{one})
	send().refused(t, "is disabled")
	if got := r.call("list_agents", `{}`); strings.Contains(got.Text, "one") {
		t.Errorf("a disabled agent is listed: %s", got.Text)
	}

	one.Disabled = false
	r.Directory.SetAgents([]directory.AgentConfig{{Name: "two", URL: "http://two"}, one})
	send().want(t, a2a.Completed, false)
	if got := dialled.Load(); got != 1 {
		t.Errorf("got %d connections, want the first to be kept", got)
	}
	one.Revision = "2"
	r.Directory.SetAgents([]directory.AgentConfig{one})
	send().want(t, a2a.Completed, false)
	if got := dialled.Load(); got != 2 {
		t.Errorf("got %d connections, want a new one after the way to the agent has changed", got)
	}
}

func TestWhatRunsAtAnAgentThatIsDisabledGoesOn(t *testing.T) {
	goOn := make(chan struct{})
	r, _ := changing(t, func(ctx context.Context, turn *a2aexec.Turn) error {
		turn.Working("at it")
		select {
		case <-goOn:
			turn.Complete("done")
		case <-ctx.Done():
		}
		return nil
	})
	one := directory.AgentConfig{Name: "one", URL: "http://one"}
	r.Directory.SetAgents([]directory.AgentConfig{one})
	first := r.call("send_task", `{"agent":"one","message":"x","wait":0}`)
	second := r.call("send_task", `{"agent":"one","message":"y","wait":0}`)
	one.Disabled = true
	r.Directory.SetAgents([]directory.AgentConfig{one})

	r.call("cancel_task", `{"task_id":"`+second.TaskID+`"}`).want(t, a2a.Canceled, false)
	r.Directory.SetAgents(nil)
	close(goOn)
	r.call("get_task", `{"task_id":"`+first.TaskID+`"}`).want(t, a2a.Completed, false)
}

func TestTheOwnerOfATaskSeesItAtAnAgentThatIsDisabled(t *testing.T) {
	r, _ := changing(t, answers)
	r.Directory.Caller = func(context.Context) directory.Caller { return directory.Caller{User: "alice"} }
	one := directory.AgentConfig{Name: "one", URL: "http://one"}
	r.Directory.SetAgents([]directory.AgentConfig{one})
	face := r.Proxy.Agent("one")
	task := sent(t, face, t.Context(), say("x"))
	one.Disabled = true
	r.Directory.SetAgents([]directory.AgentConfig{one})
	if got, err := face.Task(t.Context(), a2a.TaskQuery{ID: task.ID}); err != nil || got.Status.State != a2a.Completed {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := face.Send(t.Context(), say("x")); !a2a.Is(err, a2a.TaskNotFound) {
		t.Errorf("a message got %v, want an unknown agent", err)
	}
	if _, err := face.Card(t.Context()); err == nil {
		t.Error("its card is shown")
	}
}

func TestWhatIsAtHandIsToldWithoutWaitingForAnAgent(t *testing.T) {
	agent, let, asked := running(t, answers), make(chan struct{}), make(chan struct{}, 1)
	r := newRigWith(t, "", map[string]peer{}, func(b *bridge.Bridge) {
		b.Directory.Dialer = dialFunc(func(context.Context, directory.AgentConfig) (directory.Conn, error) {
			asked <- struct{}{}
			<-let
			return agent, nil
		})
	})
	r.Directory.SetAgents([]directory.AgentConfig{{Name: "slow", URL: "http://slow"}})
	for range 2 {
		if got := r.Directory.CachedInfos(t.Context(), r.Directory.Access(t.Context())); len(got) != 1 || got[0].Available || got[0].Problem != "" {
			t.Errorf("got %+v, want an agent of which nothing is known yet", got)
		}
	}
	<-asked
	close(let)
	r.Directory.Infos(t.Context(), r.Directory.Access(t.Context())) // waits for the same answer
	if got := r.Directory.CachedInfos(t.Context(), r.Directory.Access(t.Context())); len(got) != 1 || !got[0].Available || len(asked) > 0 {
		t.Errorf("got %+v, want the agent, asked once", got)
	}
}
