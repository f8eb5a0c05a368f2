package bridge_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/bridge/directory"
	"rialto/store"
	"rialto/store/storetest"
)

// personal is a peer that tells in whose name it is called.
type personal struct {
	peer
	calls chan string
}

func (p personal) For(user string) directory.Conn {
	p.Agent = named{p.Agent, func(what string) { p.calls <- what + " by " + user }}
	return p
}

// named is an agent that tells of each call.
type named struct {
	a2a.Agent
	tell func(string)
}

func (n named) Send(ctx context.Context, r *a2a.SendRequest) (a2a.Event, error) {
	n.tell("send " + r.Message.Text())
	return n.Agent.Send(ctx, r)
}

func (n named) Stream(ctx context.Context, r *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
	n.tell("stream " + r.Message.Text())
	return n.Agent.Stream(ctx, r)
}

func (n named) Subscribe(ctx context.Context, id a2a.TaskID) iter.Seq2[a2a.Event, error] {
	n.tell("subscribe")
	return n.Agent.Subscribe(ctx, id)
}

func (n named) Cancel(ctx context.Context, id a2a.TaskID) (*a2a.Task, error) {
	n.tell("cancel")
	return n.Agent.Cancel(ctx, id)
}

func TestAnAgentIsCalledInTheNameOfWhoeverItIsFor(t *testing.T) {
	agent := running(t, func(ctx context.Context, turn *a2aexec.Turn) error {
		switch turn.Message.Text() {
		case "ask":
			turn.Ask("which?")
		case "hang":
			<-ctx.Done()
		default:
			turn.Complete("done")
		}
		return nil
	}, "search")
	calls := make(chan string, 100)
	dsn := storetest.File(t, store.Open)
	agents := map[string]peer{"one": {Agent: personal{agent, calls}}}
	// want ignores other messages.
	want := func(what string) {
		t.Helper()
		for got := range calls {
			if got == what {
				return
			}
			if !strings.HasSuffix(got, " by alice") {
				t.Fatalf("got %s, want %s", got, what)
			}
		}
	}
	r := newRig(t, dsn, agents)
	id := r.call("send_task", `{"message":"ask"}`).TaskID
	want("stream ask by alice")
	r.call("cancel_task", fmt.Sprintf(`{"task_id":%q}`, id))
	want("cancel by alice")
	r.call("search", `{"query":"x"}`)
	want("send x by alice")
	r.call("send_task", `{"message":"hang","wait":0}`)
	want("stream hang by alice")
	r.Close()
	r = newRig(t, dsn, agents)
	want("subscribe by alice")
	r.callAs("bob", "send_task", `{"message":"go"}`, func(string) {})
	if got := <-calls; got != "stream go by bob" {
		t.Errorf("got %s", got)
	}
}
