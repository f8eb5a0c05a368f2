package a2a_test

import (
	"fmt"
	"testing"

	"rialto/a2a"
)

func TestATaskGoesOnlyWhereItMay(t *testing.T) {
	const (
		yes   = ' '
		no    = 'x' // InvalidTaskState
		never = 'c' // TaskNotCancelable
	)
	states := []a2a.State{a2a.Submitted, a2a.Working, a2a.InputRequired, a2a.AuthRequired, a2a.Completed, a2a.Failed, a2a.Canceled, a2a.Rejected, a2a.Unknown}
	for i, row := range []string{
		// to: submitted, working, input, auth, completed, failed, canceled, rejected, unknown
		"         ", // from submitted
		"x        ", // working
		"x        ", // input-required
		"x        ", // auth-required
		"xxxxxxcxx", // completed
		"xxxxxxcxx", // failed
		"xxxxxxcxx", // canceled
		"xxxxxxcxx", // rejected
		"         ", // unknown
	} {
		for j, want := range row {
			from, to := states[i], states[j]
			err := a2a.Transition(from, to)
			got := yes
			switch {
			case a2a.Is(err, a2a.InvalidTaskState):
				got = no
			case a2a.Is(err, a2a.TaskNotCancelable):
				got = never
			}
			if got != want {
				t.Errorf("from %s to %s: got %v, want %q", from, to, err, want)
			}
		}
	}
}

func TestATaskTakesAMessageWhenItAskedForOne(t *testing.T) {
	for state, want := range map[a2a.State]bool{
		a2a.InputRequired: true, a2a.AuthRequired: true,
		a2a.Submitted: false, a2a.Working: false, a2a.Unknown: false,
		a2a.Completed: false, a2a.Failed: false, a2a.Canceled: false, a2a.Rejected: false,
	} {
		if err := state.Accepts(); (err == nil) != want || err != nil && !a2a.Is(err, a2a.InvalidTaskState) {
			t.Errorf("%s: got %v, want %v", state, err, want)
		}
	}
}

func TestANarrowCodeIsAlsoTheBroadOne(t *testing.T) {
	for narrow, broad := range map[a2a.Code]a2a.Code{
		a2a.InvalidTaskState: a2a.UnsupportedOperation, a2a.StreamingNotSupported: a2a.UnsupportedOperation, a2a.RateLimited: a2a.Unavailable,
	} {
		err := fmt.Errorf("wrapped: %w", a2a.Errorf(narrow, "no"))
		if !a2a.Is(err, narrow) || !a2a.Is(err, broad) || a2a.Is(err, a2a.Internal) || a2a.Is(a2a.Errorf(broad, "no"), narrow) {
			t.Errorf("%s is not taken for %s, or for something else", narrow, broad)
		}
	}
}
