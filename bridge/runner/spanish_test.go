package runner

import (
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/internal/i18n"
	"rialto/templates"
)

// Sentences of ours in a task are shown on pages, which may be in Spanish.
func TestOurOwnWordsInATaskAreKnownToThePages(t *testing.T) {
	var silent, refused pollBudget
	now := time.Now()
	silent.spend(now, nil)
	for range maxRefusals - 1 {
		refused.spend(now, a2a.Errorf(a2a.MethodNotFound, "no"))
	}
	e := func(state a2a.State) *ledger.Record {
		return &ledger.Record{Handle: "h", Task: &a2a.Task{Status: a2a.Status{State: state}}}
	}
	for _, said := range []*i18n.Message{
		i18n.New(toConnect, "crm", "https://rialto.example/connect/crm"),
		i18n.New(toRepeat, "crm", "https://rialto.example/answer/h"),
		i18n.Of(directory.Unreachable{Agent: "crm"}),
		silent.spend(now.Add(maxSilence), nil).Sentence.Message(),
		refused.spend(now, a2a.Errorf(a2a.MethodNotFound, "no")).Sentence.Message(),
		i18n.Of(ledger.Cancelable(e(a2a.Completed))),
		i18n.Of(ledger.Cancelable(e(a2a.Working))),
	} {
		if _, ok := templates.Spanish(said.Key); !ok || strings.Contains(said.Key, "crm") {
			t.Errorf("no Spanish for %q", said.Key)
		}
	}
}
