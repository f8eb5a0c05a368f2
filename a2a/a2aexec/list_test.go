package a2aexec_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
)

func TestTasksAreListedPageByPage(t *testing.T) {
	clock := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	e := &a2aexec.Executor{Now: func() time.Time { clock = clock.Add(time.Second); return clock },
		Run: func(_ context.Context, turn *a2aexec.Turn) error {
			turn.Artifact(a2a.Artifact{ID: "a", Parts: []a2a.Part{a2a.TextPart("x")}})
			return nil
		}}
	defer e.Close()
	for i := range 7 {
		m := &a2a.Message{ID: fmt.Sprint(i), ContextID: fmt.Sprint("c-", i%2), Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("x")}}
		if _, err := e.Send(t.Context(), &a2a.SendRequest{Message: m}); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[a2a.TaskID]bool{}
	var last time.Time
	f := a2a.TaskFilter{PageSize: 3}
	for page := 0; ; page++ {
		p, err := e.Tasks(t.Context(), f)
		if err != nil || p.Total != 7 || p.Size != 3 || page > 2 {
			t.Fatalf("page %d: got %+v, %v", page, p, err)
		}
		for _, task := range p.Tasks {
			if seen[task.ID] || !last.IsZero() && task.Status.Timestamp.After(last) || task.Artifacts != nil {
				t.Errorf("got %+v twice, out of order or with artifacts", task)
			}
			seen[task.ID], last = true, task.Status.Timestamp
		}
		if f.PageToken = p.Next; p.Next == "" {
			break
		}
	}
	if len(seen) != 7 {
		t.Errorf("got %d tasks, want 7", len(seen))
	}
}

func TestTasksAreFiltered(t *testing.T) {
	e := &a2aexec.Executor{Run: func(_ context.Context, turn *a2aexec.Turn) error {
		turn.Ask("which?")
		return nil
	}}
	defer e.Close()
	m := &a2a.Message{ID: "m", ContextID: "c", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("x")}}
	if _, err := e.Send(t.Context(), &a2a.SendRequest{Message: m}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		filter a2a.TaskFilter
		want   int
	}{
		"its context":        {a2a.TaskFilter{ContextID: "c"}, 1},
		"another context":    {a2a.TaskFilter{ContextID: "d"}, 0},
		"its state":          {a2a.TaskFilter{State: a2a.InputRequired}, 1},
		"another state":      {a2a.TaskFilter{State: a2a.Failed}, 0},
		"since an hour ago":  {a2a.TaskFilter{Since: time.Now().Add(-time.Hour)}, 1},
		"since in an hour":   {a2a.TaskFilter{Since: time.Now().Add(time.Hour)}, 0},
		"a page of too much": {a2a.TaskFilter{PageSize: 1 << 20}, 1},
	} {
		if p, err := e.Tasks(t.Context(), c.filter); err != nil || len(p.Tasks) != c.want || p.Size > 100 {
			t.Errorf("%s: got %+v, %v, want %d", name, p, err, c.want)
		}
	}
	if _, err := e.Tasks(t.Context(), a2a.TaskFilter{PageToken: "nonsense"}); !a2a.Is(err, a2a.InvalidParams) {
		t.Errorf("got %v for a token that is none", err)
	}
}
