package ledger

import (
	"reflect"
	"strconv"
	"strings"
	"testing"

	"rialto/a2a"
)

// A history may be long and arrives with each answer: restoring it takes linear time.
func BenchmarkRecallOfALongHistory(b *testing.B) {
	history := make([]a2a.Message, 100_000)
	for i := range history {
		history[i] = a2a.Message{ID: "message " + strconv.Itoa(i), Role: a2a.RoleAgent}
	}
	asked := &a2a.Message{ID: "asked", Role: a2a.RoleUser}
	for b.Loop() {
		if told := restoreHistory(nil, asked, &a2a.Task{History: history}); len(told.(*a2a.Task).History) != 100_001 {
			b.Fatal("the history is not whole")
		}
	}
}

// TestHistoriesAreMerged writes a message as ROLE WORD or ROLE WORD#ID.
func TestHistoriesAreMerged(t *testing.T) {
	for name, c := range map[string]struct{ ours, agents, want string }{
		"an agent that shows none":             {"u a#1,a b#2", "", "u a#1,a b#2"},
		"an agent that shows the latest":       {"u a#1,a b#2,u c#3", "u c#3,a d#4", "u a#1,a b#2,u c#3,a d#4"},
		"an agent that shows only its own":     {"u a#1,a b#2,u c#3", "a b#2,a d#4", "u a#1,a b#2,u c#3,a d#4"},
		"an agent without ids":                 {"u a#1,a b,u a#3", "u a,a b,u a,a b", "u a#1,a b,u a#3,a b"},
		"an agent with new ids each time":      {"u a#1,a b#2", "u a#7,a b#8,a c#9", "u a#1,a b#8,a c#9"},
		"an agent that corrects itself":        {"u a#1,a b#2", "u x#1,a c#2", "u a#1,a c#2"},
		"what the agent said in between":       {"u a#1,u c#3", "u a#1,a b#2,u c#3", "u a#1,a b#2,u c#3"},
		"messages of the conversation, before": {"u c#3", "u a#1,a b#2,u c#3", "u a#1,a b#2,u c#3"},
		"another order":                        {"u a#1,a b#2", "a b#2,u a#1", "u a#1,a b#2"},
		"the same id again and again":          {"u a#1,a b#2,a c#2", "u a#1,a b#2,a c#2", "u a#1,a b#2,a c#2"},
	} {
		t.Run(name, func(t *testing.T) {
			got := mergeHistory(history(c.ours), history(c.agents))
			if want := history(c.want); !reflect.DeepEqual(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func history(text string) (all []a2a.Message) {
	for said := range strings.SplitSeq(text, ",") {
		role, said, ok := strings.Cut(said, " ")
		if !ok {
			continue
		}
		word, id, _ := strings.Cut(said, "#")
		m := a2a.Message{ID: id, Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart(word)}}
		if role == "u" {
			m.Role = a2a.RoleUser
		}
		all = append(all, m)
	}
	return all
}

// TestALongHistoryKeepsTheWordsOfTheUser drops what agents said first.
func TestALongHistoryKeepsTheWordsOfTheUser(t *testing.T) {
	all := history("u request" + strings.Repeat(",a progress,a progress,u answer", 100))
	kept := latest(all, len(all)-historyKept)
	answers := 0
	for _, m := range kept {
		if ofUser(m) {
			answers++
		}
	}
	if len(kept) != historyKept || answers != 101 {
		t.Errorf("got %d messages, %d of the user, want %d and 101", len(kept), answers, historyKept)
	}
}
