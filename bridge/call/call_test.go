package call_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge/call"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/internal/usage"
)

type sink []usage.Record

func (s *sink) Record(u usage.Record) { *s = append(*s, u) }

func (s *sink) Charge(usage.Charge) {}

func TestTheOutcomeOfACallIsThatOfItsErrorAndItsTask(t *testing.T) {
	left, leave := context.WithCancel(t.Context())
	leave()
	for _, tc := range []struct {
		name  string
		ctx   context.Context
		known usage.Outcome
		state a2a.State
		err   error
		want  usage.Outcome
	}{
		{name: "an answer", want: usage.OK},
		{name: "a task that goes on", state: a2a.Working, want: usage.OK},
		{name: "a task that failed", state: a2a.Failed, want: usage.Failed},
		{name: "wrong arguments", err: ledger.InputError{Text: "no"}, want: usage.Refused},
		{name: "no such task", err: ledger.ErrNoTask, want: usage.Refused},
		{name: "a refusal of ours", err: a2a.Errorf(a2a.TaskNotFound, "no"), want: usage.Refused},
		{name: "a refusal of the agent", err: &a2a.Error{Code: a2a.TaskNotFound, Remote: true}, want: usage.Failed},
		{name: "an agent that is away", err: a2a.Errorf(a2a.Unavailable, "no"), want: usage.Failed},
		{name: "any other error", err: errors.New("disk full"), want: usage.Failed},
		{name: "a caller who left", ctx: left, err: context.Canceled, want: usage.Canceled},
		{name: "what the door knows", known: usage.OK, err: errors.New("asked"), want: usage.OK},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got sink
			ctx := tc.ctx
			if ctx == nil {
				ctx = t.Context()
			}
			c := (&call.Recorder{Sink: &got, Now: time.Now}).Begin(directory.Access{}, usage.Web, "document")
			c.Outcome, c.State = tc.known, tc.state
			c.End(ctx, &tc.err)
			if len(got) != 1 || got[0].Outcome != tc.want {
				t.Errorf("got %+v, want one call, %s", got, tc.want)
			}
		})
	}
}

func TestACallThatPanicsHasFailed(t *testing.T) {
	var got sink
	defer func() {
		if p := recover(); p != "no index" {
			t.Errorf("recovered %v, want the panic of the call", p)
		}
		if len(got) != 1 || got[0].Outcome != usage.Failed {
			t.Errorf("got %+v, want one call that failed", got)
		}
	}()
	var err error
	c := (&call.Recorder{Sink: &got, Now: time.Now}).Begin(directory.Access{}, usage.REST, "GET /tasks")
	defer c.End(t.Context(), &err)
	panic("no index")
}
