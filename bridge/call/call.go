// Package call records calls: a door begins a Call, says what it learns of it, and ends it. A
// Recorder makes the usage record of each, for every door alike. A Meter charges for what agents
// answer. The package does not store records. Spans and metrics of a protocol are those of its Observer.
package call

import (
	"context"
	"errors"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/internal/usage"
)

// Call is a call through a door. A door sets what it knows before it ends the call.
type Call struct {
	Access     directory.Access
	Door, Tool string // usage.MCP and the tool, for example
	Agent      string // "" if it is about none, or several
	Task       string // the handle of the caller's task that it is about; "" if it is about none, or several
	Began      time.Time

	In, Out int           // bytes of content
	State   a2a.State     // of the task that the answer shows; "" if it shows none
	Outcome usage.Outcome // "" if the error and the state tell

	recorder *Recorder
}

// Sink takes the records of calls, and charges. It must not block. *usage.Log is one.
type Sink interface {
	Record(usage.Record)
	Charge(usage.Charge)
}

// Recorder begins calls and records them when they end. Now is required.
type Recorder struct {
	Sink Sink // nil: calls are not recorded
	Now  func() time.Time
}

// Begin begins a call.
func (r *Recorder) Begin(access directory.Access, door, tool string) *Call {
	return &Call{
		Access:   access,
		Door:     door,
		Tool:     tool,
		Began:    r.Now(),
		recorder: r,
	}
}

// End records the call. Defer it with the address of the error that the function returns: a call
// that panics has failed.
func (c *Call) End(ctx context.Context, err *error) {
	p := recover()
	if p != nil {
		c.Outcome = usage.Failed
		defer panic(p)
	}
	if c.recorder.Sink == nil {
		return
	}

	c.recorder.Sink.Record(usage.Record{
		UserID:   c.Access.User(),
		Client:   c.Access.Client(),
		UseCase:  c.Access.UseCase(),
		Door:     c.Door,
		Tool:     c.Tool,
		Agent:    c.Agent,
		At:       c.Began,
		Took:     c.recorder.Now().Sub(c.Began),
		BytesIn:  int64(c.In),
		BytesOut: int64(c.Out),
		Outcome:  c.outcome(ctx, *err),
		Task:     c.Task,
	})
}

func (c *Call) outcome(ctx context.Context, err error) usage.Outcome {
	switch {
	case c.Outcome != "":
		return c.Outcome
	case errors.Is(ctx.Err(), context.Canceled):
		return usage.Canceled
	case err == nil && !ledger.Unsuccessful(c.State):
		return usage.OK
	case refused(err):
		return usage.Refused
	}
	return usage.Failed
}

// Refusal is an error of a door that tells whether the caller was refused, or the call failed.
type Refusal interface {
	error
	Refused() bool
}

// refused tells a refusal from a failure.
func refused(err error) bool {
	var own Refusal
	var input ledger.InputError
	var e *a2a.Error
	switch {
	case errors.As(err, &own):
		return own.Refused()
	case errors.As(err, &input), errors.Is(err, ledger.ErrNoTask),
		errors.Is(err, ledger.ErrTaskBusy), errors.Is(err, ledger.ErrTaskEnded):
		return true
	case errors.As(err, &e) && !e.Remote:
		return e.Code != a2a.Unavailable && e.Code != a2a.Internal &&
			e.Code != a2a.InvalidAgentResponse
	}

	return false
}
