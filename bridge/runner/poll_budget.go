package runner

import (
	"slices"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

const (
	maxRefusals = 13             // in a row, of an agent that cannot tell how a task stands
	maxUnknown  = 4              // in a row, seven seconds, of one that does not know the task
	maxSilence  = 24 * time.Hour // of an agent that does not tell
)

// pollBudget limits how long a follower polls a task whose agent does not answer with it. An
// unreachable or failing agent may recover; one without the method will not. One that does not know
// the task may have lost it, or be another process, or still be starting. The zero value is ready.
type pollBudget struct {
	since    time.Time // of the first attempt after the agent last told
	refusals int
	unknown  int
}

// reset notes that the agent has told how the task stands.
func (p *pollBudget) reset() { *p = pollBudget{} }

// spend notes a poll that failed with err, or without an error returned no task. It
// returns the failure of the task if the budget is used up.
func (p *pollBudget) spend(now time.Time, err error) *ledger.Failure {
	if p.since.IsZero() {
		p.since = now
	}

	p.refusals = inARow(p.refusals, cannotTell(err))
	p.unknown = inARow(p.unknown, a2a.Is(err, a2a.TaskNotFound))
	var why *ledger.Failure
	switch {
	case p.unknown >= maxUnknown:
		why = ledger.Fail(a2a.TaskNotFound, "The agent no longer knows this task.")
	case p.refusals >= maxRefusals:
		why = ledger.Fail(
			a2a.UnsupportedOperation,
			"The agent cannot tell how this task stands: %v. It may still be at work on it.",
			err,
		)
	case now.Sub(p.since) >= maxSilence:
		why = ledger.Fail(
			a2a.Unavailable,
			"The agent has not told how this task stands for %d hours. It may still be at work on it.",
			int(maxSilence.Hours()),
		)
	default:
		return nil
	}

	why.Remote = true
	return why
}

// inARow counts consecutive failures.
func inARow(n int, again bool) int {
	if again {
		return n + 1
	}
	return 0
}

// cannotTell reports whether the agent answered that it does not know the
// question, or not in these words.
func cannotTell(err error) bool {
	unable := []a2a.Code{
		a2a.MethodNotFound,
		a2a.UnsupportedOperation,
		a2a.InvalidRequest,
		a2a.InvalidParams,
		a2a.VersionNotSupported,
	}
	return slices.ContainsFunc(unable, func(code a2a.Code) bool { return a2a.Is(err, code) })
}
