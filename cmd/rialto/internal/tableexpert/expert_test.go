package tableexpert_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"rialto/a2a"
	"rialto/cmd/rialto/internal/tableexpert"
)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

func open(t testing.TB, cfg tableexpert.Config) *tableexpert.Expert {
	t.Helper()
	cfg.Log = quiet()
	e, err := tableexpert.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// shared is an expert on the built-in data. To make that takes seconds where
// the race detector watches, so most tests use one, which none can change.
var shared = sync.OnceValues(func() (*tableexpert.Expert, error) {
	return tableexpert.Open(context.Background(), tableexpert.Config{Log: quiet()})
})

func builtIn(t testing.TB) *tableexpert.Expert {
	t.Helper()
	e, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// text is a message of words, for a skill or none.
func text(skill, words string) *a2a.SendRequest {
	m := &a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(words)}}
	if skill != "" {
		m.Metadata = a2a.Metadata{"skillId": skill}
	}
	return &a2a.SendRequest{Message: m}
}

// data is a message of arguments.
func data(skill, args string) *a2a.SendRequest {
	req := text(skill, "")
	req.Message.Parts = []a2a.Part{{Content: a2a.Data(args)}}
	return req
}

func send(t testing.TB, e *tableexpert.Expert, req *a2a.SendRequest) *a2a.Task {
	t.Helper()
	ev, err := e.Agent().Send(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return ev.(*a2a.Task)
}

// answer sends a message and decodes the data of the first artifact.
func answer[T any](t testing.TB, e *tableexpert.Expert, req *a2a.SendRequest) T {
	t.Helper()
	task := send(t, e, req)
	var v T
	if task.Status.State != a2a.Completed || len(task.Artifacts) == 0 {
		t.Fatalf("got %s: %s", task.Status.State, task.Status.Message.Text())
	}
	for _, p := range task.Artifacts[0].Parts {
		if d, ok := p.Content.(a2a.Data); ok {
			if err := json.Unmarshal(d, &v); err != nil {
				t.Fatal(err)
			}
		}
	}
	return v
}

type rows struct {
	SQL       string
	Columns   []string
	Rows      [][]any
	RowCount  int `json:"row_count"`
	Truncated bool
}

// sql runs a statement and returns its rows as JSON.
func sql(t testing.TB, e *tableexpert.Expert, statement string) string {
	t.Helper()
	b, err := json.Marshal(answer[rows](t, e, text("query_table_expert", statement)).Rows)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func contains(t testing.TB, got string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want it to contain %q", got, want)
		}
	}
}

// quote writes s as JSON.
func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
