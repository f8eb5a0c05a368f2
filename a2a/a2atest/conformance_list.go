package a2atest

import (
	"testing"
	"time"

	"rialto/a2a"
)

// TestLister checks that what dial makes of an Agent lists tasks as a2a.Lister promises.
func TestLister(t *testing.T, dial func(t *testing.T, agent *Agent) a2a.Agent) {
	agent := NewAgent()
	t.Cleanup(func() { agent.Close() })
	a := dial(t, agent)
	lister, ok := a.(a2a.Lister)
	if !ok {
		t.Fatalf("%T does not list tasks", a)
	}
	begin := time.Now().Add(-time.Minute)
	for _, text := range []string{"echo one", "ask two", "echo three"} {
		req := Say(text)
		req.Message.ContextID = "c-1"
		sendTask(t, a, req)
	}
	none := 0
	ctx := testContext(t)
	p, err := lister.Tasks(ctx, a2a.TaskFilter{ContextID: "c-1", State: a2a.Completed, Since: begin, PageSize: 1, HistoryLength: &none, Artifacts: true})
	if err != nil || p.Total != 2 || p.Size != 1 || len(p.Tasks) != 1 || p.Next == "" ||
		len(p.Tasks[0].History) != 0 || artifactText(p.Tasks[0]) == "" {
		t.Fatalf("first page: got %s, %v", asJSON(t, p), err)
	}
	rest, err := lister.Tasks(ctx, a2a.TaskFilter{ContextID: "c-1", State: a2a.Completed, PageToken: p.Next})
	if err != nil || len(rest.Tasks) != 1 || rest.Next != "" || rest.Tasks[0].ID == p.Tasks[0].ID ||
		len(rest.Tasks[0].History) == 0 || rest.Tasks[0].Artifacts != nil {
		t.Errorf("last page: got %s, %v", asJSON(t, rest), err)
	}
	if all, err := lister.Tasks(ctx, a2a.TaskFilter{}); err != nil || len(all.Tasks) != 3 {
		t.Errorf("got %s, %v, want all three", asJSON(t, all), err)
	}
	_, err = lister.Tasks(ctx, a2a.TaskFilter{PageToken: "nonsense"})
	wantCode(t, err, a2a.InvalidParams)
}
