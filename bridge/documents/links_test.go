package documents_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
)

// TestAFileOfANamelessMessageHasNoLink: a link to a part names its message, so that one into an
// earlier message without an ID led to the file of the last message.
func TestAFileOfANamelessMessageHasNoLink(t *testing.T) {
	for id, links := range map[string]bool{"m1": true, "": false, strings.Repeat("x", 300): false} {
		t.Run(fmt.Sprintf("an id of %d letters", len(id)), func(t *testing.T) {
			said := func(id, file string) a2a.Message {
				return a2a.Message{ID: id, Role: a2a.RoleAgent, Parts: []a2a.Part{
					{Content: a2a.Raw("content of " + file), Filename: file, MediaType: "text/csv"},
				}}
			}
			last := said("last", "last.csv")
			sv := &documents.Service{
				Downloads: &documents.Downloads{Key: make([]byte, 32), TTL: time.Hour},
				Runner:    &runner.Runner{Now: time.Now},
				URL:       "https://rialto.test",
			}
			e := &ledger.Record{Owner: "alice", Handle: "h", Agent: "one", Idle: true, Task: &a2a.Task{
				ID:      "t",
				Status:  a2a.Status{State: a2a.Completed, Message: &last},
				History: []a2a.Message{said(id, "first.csv")},
			}}
			shown, err := json.Marshal(sv.Result(e, documents.RenderOptions{History: 5}).Structured)
			if err != nil {
				t.Fatal(err)
			}
			_, about, found := strings.Cut(string(shown), "[first.csv text/csv")
			if !found || strings.HasPrefix(about, " https://rialto.test/downloads/") != links {
				t.Errorf("got %s, want a link to first.csv: %v", shown, links)
			}
		})
	}
}
