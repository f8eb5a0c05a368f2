package runner

import (
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

const (
	maxRefusals = 10             // in a row, of an agent that cannot tell how a task stands
	maxUnknown  = 4              // in a row, seven seconds, of one that does not know the task
	maxSilence  = 24 * time.Hour // of an agent that does not tell
)

// pollBudget says how long a follower goes on asking about a task that its agent
// tells nothing of. An agent that is not reached, or not well, or does not let
// us in may be mended; one that does not know how to tell will not learn it.
// One that does not know the task may have forgotten it, or be one of several
// processes, or not have read its tasks yet since it was started. The zero value
// has not been tried.
type pollBudget struct {
	since    time.Time // of the first attempt after the agent last told
	refusals int
	unknown  int
}

// reset notes that the agent has told how the task stands.
func (p *pollBudget) reset() { *p = pollBudget{} }

// spend notes an attempt that came to err, or to nothing where err is nil. It
// returns why the task is to be given up, or nil.
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
		why = ledger.Fail(a2a.UnsupportedOperation, "The agent cannot tell how this task stands: %v. It may still be at work on it.", err)
	case now.Sub(p.since) >= maxSilence:
		why = ledger.Fail(a2a.Unavailable, "The agent has not told how this task stands for %d hours. It may still be at work on it.", int(maxSilence.Hours()))
	default:
		return nil
	}
	why.Remote = true
	return why
}

// inARow counts what happens time after time: from the beginning, once it does not.
func inARow(n int, again bool) int {
	if again {
		return n + 1
	}
	return 0
}

// cannotTell reports whether the agent answered that it does not know the
// question, or not in these words.
func cannotTell(err error) bool {
	for _, code := range []a2a.Code{a2a.MethodNotFound, a2a.UnsupportedOperation, a2a.InvalidRequest, a2a.InvalidParams, a2a.VersionNotSupported} {
		if a2a.Is(err, code) {
			return true
		}
	}
	return false
}
