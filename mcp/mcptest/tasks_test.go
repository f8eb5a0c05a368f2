package mcptest_test

import (
	"context"
	"testing"

	"rialto/mcp"
	"rialto/mcp/mcptest"
)

// order is what a test tells a job to do next.
type order struct {
	ask  []mcp.Question
	text string
}

func TestTasksInMemoryKeepTheContract(t *testing.T) {
	testTasks(t, func(t *testing.T) tasksUnderTest {
		ts, orders := new(mcptest.Tasks), map[string]chan order{}
		tell := func(t *testing.T, principal, id string, o order) {
			t.Helper()
			seen, err := ts.Task(t.Context(), principal, id)
			if err != nil {
				t.Fatal(err)
			}
			orders[id] <- o
			if _, err := ts.Next(t.Context(), principal, id, seen.Updated); err != nil {
				t.Fatal(err)
			}
		}
		return tasksUnderTest{
			Tasks: ts,
			Begin: func(_ *testing.T, principal string) string {
				todo := make(chan order)
				task := ts.Begin(principal, func(ctx context.Context, j *mcptest.Job) (*mcp.Result, error) {
					for {
						select {
						case <-ctx.Done():
							return nil, ctx.Err()
						case o := <-todo:
							if o.ask == nil {
								return &mcp.Result{Content: []mcp.Content{mcp.Text(o.text)}}, nil
							}
							if _, err := j.Ask(ctx, o.ask...); err != nil {
								return nil, err
							}
						}
					}
				})
				orders[task.ID] = todo
				return task.ID
			},
			Ask: func(t *testing.T, principal, id string, qs ...mcp.Question) {
				tell(t, principal, id, order{ask: qs})
			},
			Complete: func(t *testing.T, principal, id, text string) {
				tell(t, principal, id, order{text: text})
			},
		}
	})
}
