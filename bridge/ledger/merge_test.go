package ledger

import (
	"strconv"
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
