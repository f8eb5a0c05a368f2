package documents_test

import (
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
)

// BenchmarkResult makes the result of a task that its agent completed at once.
func BenchmarkResult(b *testing.B) {
	l := &documents.Service{
		Directory: &directory.Directory{},
		Downloads: &documents.Downloads{Key: make([]byte, 32), TTL: time.Hour},
		URL:       "https://rialto.test",
		Runner:    &runner.Runner{Now: time.Now},
	}
	done := &a2a.Task{ID: "t", ContextID: "c", Status: a2a.Status{State: a2a.Completed}}
	done.Artifacts = []a2a.Artifact{{ID: "a", Name: "result", Parts: []a2a.Part{a2a.TextPart("There are 17 open claims.")}}}
	e := &ledger.Record{Handle: "8d5f2f1c", Owner: "alice", Agent: "one", Idle: true, Task: done}
	said := *e
	said.Task = &a2a.Task{ContextID: "c", Status: a2a.Status{
		State:   a2a.Completed,
		Message: &a2a.Message{ID: "m", Role: a2a.RoleAgent, Parts: done.Artifacts[0].Parts},
	}}
	for name, e := range map[string]*ledger.Record{"artifact": e, "message": &said} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l.Result(e, documents.RenderOptions{})
			}
		})
	}
}
