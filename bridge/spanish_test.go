package bridge

import (
	"fmt"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/templates"
)

// What is written into a task in our own words is said on pages, which may be in
// Spanish.
func TestOurOwnWordsInATaskAreKnownToThePages(t *testing.T) {
	var silent, refused patience
	now := time.Now()
	silent.tried(now, nil)
	for range maxRefusals - 1 {
		refused.tried(now, a2a.Errorf(a2a.MethodNotFound, "no"))
	}
	e := func(state a2a.State) *ledger.Record {
		return &ledger.Record{Handle: "h", Task: &a2a.Task{Status: a2a.Status{State: state}}}
	}
	for _, said := range []string{
		fmt.Sprintf(toConnect, "crm", "https://rialto.example/connect/crm"),
		fmt.Sprintf(toRepeat, "crm", "https://rialto.example/answer/h"),
		directory.Unreachable{Agent: "crm"}.Error(),
		silent.tried(now.Add(maxSilence), nil).Message,
		refused.tried(now, a2a.Errorf(a2a.MethodNotFound, "no")).Message,
		ledger.Cancelable(e(a2a.Completed)).Error(),
		ledger.Cancelable(e(a2a.Working)).Error(),
	} {
		if _, ok := templates.SpanishOf(said, false); !ok {
			t.Errorf("no Spanish for %q", said)
		}
	}
}
