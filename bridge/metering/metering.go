// Package metering makes the usage record of a call: who made it, through which door, how
// much content went in and out, and how it ended. It does not know what was said, and
// does not store records.
package metering

import (
	"context"
	"errors"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/internal/usage"
	"rialto/mcp"
)

// Meter records calls. All fields are required. A nil Meter records nothing.
type Meter struct {
	Directory *directory.Directory
	Record    func(usage.Record) // must not block
	Now       func() time.Time
}

// Begin returns the record of a call that begins now.
func (m *Meter) Begin(ctx context.Context, door, tool, agent string) usage.Record {
	access := m.Directory.Access(ctx)
	return usage.Record{
		UserID:  access.User(),
		Client:  access.Client(),
		UseCase: access.UseCase(),
		Door:    door,
		Tool:    tool,
		Agent:   agent,
		At:      m.Now(),
	}
}

// End records a call that ends now.
func (m *Meter) End(u usage.Record) {
	u.Took = m.Now().Sub(u.At)
	m.Record(u)
}

// Report records a call that came through another door: what it was, when it began and
// how it ended.
func (m *Meter) Report(ctx context.Context, u usage.Record) {
	if m == nil {
		return
	}
	access := m.Directory.Access(ctx)
	u.UserID, u.Client, u.UseCase = access.User(), access.Client(), access.UseCase()
	m.End(u)
}

// Page records an action on a page that calls an agent. in and out are bytes of content.
func (m *Meter) Page(ctx context.Context, what string, in int, do func() (agent string, out int, _ error)) error {
	if m == nil {
		_, _, err := do()
		return err
	}
	u, err := m.Begin(ctx, usage.Web, what, ""), ErrPanicked
	defer func() {
		u.BytesIn, u.Outcome = int64(in), Outcome(ctx, err)
		m.End(u)
	}()
	var out int
	u.Agent, out, err = do()
	u.BytesOut = int64(out)
	return err
}

// ErrPanicked is the error of a call that did not return.
var ErrPanicked = errors.New("the call panicked")

// Canceled reports whether the caller went away.
func Canceled(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

// Outcome returns how a call ended of which nothing is known but its error.
func Outcome(ctx context.Context, err error) usage.Outcome {
	var input ledger.InputError
	var protocol *mcp.Error
	switch {
	case Canceled(ctx):
		return usage.Canceled
	case err == nil:
		return usage.OK
	case errors.As(err, &input), errors.As(err, &protocol), errors.Is(err, mcp.ErrNoResource), errors.Is(err, ledger.ErrNoTask),
		errors.Is(err, ledger.ErrTaskBusy), errors.Is(err, ledger.ErrTaskEnded), refusedByUs(err):
		return usage.Refused
	}
	return usage.Failed
}

// OutcomeWith returns how a call ended whose answer shows a task in a state.
func OutcomeWith(ctx context.Context, err error, state a2a.State) usage.Outcome {
	o := Outcome(ctx, err)
	if o == usage.OK && ledger.Unsuccessful(state) {
		return usage.Failed
	}
	return o
}

// refusedByUs tells a refusal from a failure.
func refusedByUs(err error) bool {
	e, ok := errors.AsType[*a2a.Error](err)
	return ok && !e.Remote && e.Code != a2a.Unavailable && e.Code != a2a.Internal && e.Code != a2a.InvalidAgentResponse
}
