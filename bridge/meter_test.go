package bridge_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"

	"rialto/a2a"
	"rialto/bridge"
	metering "rialto/bridge/call"
	"rialto/bridge/directory"
	"rialto/internal/usage"
)

// charges are those that were made, each once.
type charges struct {
	calls
	mu  sync.Mutex
	ids map[string]usage.Charge
}

func (c *charges) Charge(made usage.Charge) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, again := c.ids[made.ID]; !again {
		c.ids[made.ID] = made
	}
}

func (c *charges) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []string
	for _, made := range c.ids {
		all = append(all, fmt.Sprintf("%s %s %s %d × %s %s", made.UserID, made.Agent, made.Item, made.Quantity, made.Price, made.Currency))
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

// priced is a bridge with one agent, which costs something.
func priced(t *testing.T, price directory.Price, answer func(*a2a.SendRequest) iter.Seq2[a2a.Event, error]) (*rig, *charges) {
	made := &charges{ids: map[string]usage.Charge{}}
	agent := &scripted{answer: func(_ context.Context, r *a2a.SendRequest) iter.Seq2[a2a.Event, error] { return answer(r) }}
	r := newRigWith(t, "", map[string]peer{"claims": {agent, &a2a.Card{Name: "Claims"}}}, func(b *bridge.Bridge) {
		b.Directory.Initial[0].Price = price
		b.Runner.Publisher.Meter = &metering.Meter{Directory: b.Directory, Sink: made}
	})
	return r, made
}

var euro = directory.Price{Currency: "EUR", Call: "0.05", Units: []directory.UnitPrice{
	{Name: "usage.input_tokens", Price: "0.000002"}, {Name: "pages", Price: "0.1"},
}}

func TestAnAnswerIsChargedByTheCallAndByWhatTheAgentReports(t *testing.T) {
	usageOf := a2a.Metadata{"usage": map[string]any{"input_tokens": 1200.0}}
	said := &a2a.Message{ID: "m", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("done")}, Metadata: usageOf}
	for name, c := range map[string]struct {
		events []any
		want   string
	}{
		"a message": {[]any{said}, "alice claims call 1 × 0.05 EUR; alice claims usage.input_tokens 1200 × 0.000002 EUR"},
		"a task": {
			[]any{&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Completed}, Metadata: a2a.Metadata{"pages": 3.0}}},
			"alice claims call 1 × 0.05 EUR; alice claims pages 3 × 0.1 EUR",
		},
		"a total in the last update": {
			[]any{
				&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Working, Message: said}},
				&a2a.StatusUpdate{TaskID: "t", Status: a2a.Status{State: a2a.Working}, Metadata: a2a.Metadata{"pages": 1.0}},
				&a2a.StatusUpdate{TaskID: "t", Status: a2a.Status{State: a2a.Completed}, Metadata: a2a.Metadata{"pages": 2.0}},
			},
			"alice claims call 1 × 0.05 EUR; alice claims pages 2 × 0.1 EUR",
		},
		"a failure costs what was used": {
			[]any{&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Failed}, Metadata: usageOf}},
			"alice claims usage.input_tokens 1200 × 0.000002 EUR",
		},
		"a refusal":             {[]any{a2a.Errorf(a2a.InvalidParams, "no")}, ""},
		"what is not a number":  {[]any{&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Completed}, Metadata: a2a.Metadata{"pages": "many"}}}, "alice claims call 1 × 0.05 EUR"},
		"what cannot be":        {[]any{&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Completed}, Metadata: a2a.Metadata{"pages": 1e300}}}, "alice claims call 1 × 0.05 EUR"},
		"less than nothing":     {[]any{&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Completed}, Metadata: a2a.Metadata{"pages": -2.0}}}, "alice claims call 1 × 0.05 EUR"},
		"metadata without path": {[]any{&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Completed}, Metadata: a2a.Metadata{"usage": 7.0}}}, "alice claims call 1 × 0.05 EUR"},
	} {
		t.Run(name, func(t *testing.T) {
			r, made := priced(t, euro, func(*a2a.SendRequest) iter.Seq2[a2a.Event, error] { return yield(c.events...) })
			r.call("send_task", `{"message":"go"}`)
			r.Close()
			if got := made.String(); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestEachMessageOfATaskIsChargedOnce(t *testing.T) {
	r, made := priced(t, euro, func(sent *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		state := a2a.InputRequired
		if sent.Message.TaskID != "" {
			state = a2a.Completed
		}
		return yield(&a2a.Task{ID: "t", ContextID: "c", Status: a2a.Status{State: state}, Metadata: a2a.Metadata{"pages": 2.0}})
	})
	asked := r.call("send_task", `{"message":"go"}`)
	if got, want := made.String(), "alice claims call 1 × 0.05 EUR"; got != want {
		t.Errorf("while it waits: got %s, want %s", got, want)
	}
	r.call("send_task", `{"message":"on","task_id":"`+asked.TaskID+`"}`)
	r.call("get_task", `{"task_id":"`+asked.TaskID+`"}`)
	r.Close()
	want := "alice claims call 1 × 0.05 EUR; alice claims call 1 × 0.05 EUR; alice claims pages 2 × 0.1 EUR"
	if got := made.String(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestClientsWhoseIDsNeverChange sends another message of a task under the id of the first: it cost nothing, and
// was missing from the history. The same message is sent once.
func TestClientsWhoseIDsNeverChange(t *testing.T) {
	var ids []string
	r, made := priced(t, euro, func(sent *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		ids = append(ids, sent.Message.ID)
		return yield(&a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: a2a.Status{State: a2a.InputRequired}})
	})
	asked := r.call("send_task", `{"message":"go","message_id":"m1"}`)
	for range 2 {
		r.call("send_task", `{"message":"on","message_id":"m1","task_id":"`+asked.TaskID+`"}`)
	}
	e, err := r.Runner.Ledger.Task(t.Context(), "alice", asked.TaskID)
	r.Close()
	if err != nil || len(ids) != 2 || ids[0] == ids[1] || len(e.Task.History) != 2 {
		t.Errorf("got %q, %+v, %v, want two messages", ids, e.Task, err)
	}
	if got, want := made.String(), "alice claims call 1 × 0.05 EUR; alice claims call 1 × 0.05 EUR"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAnAgentWithoutAPriceCostsNothing(t *testing.T) {
	r, made := priced(t, directory.Price{}, func(*a2a.SendRequest) iter.Seq2[a2a.Event, error] {
		return yield(&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Completed}, Metadata: a2a.Metadata{"pages": 3.0}})
	})
	r.call("send_task", `{"message":"go"}`)
	r.Close()
	if got := made.String(); got != "" {
		t.Errorf("got %s, want nothing", got)
	}
}
