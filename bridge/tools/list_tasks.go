package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
	"rialto/bridge/sanitize"
	"rialto/mcp"
)

// listArgs are the arguments of list_tasks.
type listArgs struct {
	Agent  string    `json:"agent"`
	State  a2a.State `json:"state"`
	Since  string    `json:"since"`
	Limit  int       `json:"limit"`
	Cursor string    `json:"cursor"`
}

func (t *Tools) listTasks() mcp.Tool {
	return mcp.Tool{
		Name:         "list_tasks",
		Title:        "List your tasks",
		Description:  "List the tasks that you have sent, the latest first, with where each stands. Use get_task for the result of one.",
		InputSchema:  listTasksInput,
		OutputSchema: listTasksOutput,
		ReadOnly:     true,
		Idempotent:   true,
		Call: handler(t, func(ctx context.Context, _ *mcp.Call, args *listArgs) (*mcp.Result, error) {
			filter, err := args.filter()
			if err != nil {
				return nil, err
			}
			return t.listPage(ctx, filter, args.Cursor)
		}),
	}
}

func (a *listArgs) filter() (f ledger.Filter, err error) {
	f = ledger.Filter{Agent: a.Agent, State: a.State, Limit: runner.DefaultPage}
	if a.Limit > 0 {
		f.Limit = min(a.Limit, runner.LargestPage)
	}
	if a.Since != "" {
		f.Since, err = time.Parse(time.RFC3339, a.Since)
		if err != nil {
			return f, ledger.InputError{
				Text: "The argument \"since\" is not a time such as 2026-11-20T00:00:00Z.",
			}
		}
	}

	return f, nil
}

// listPage renders a page of tasks.
func (t *Tools) listPage(ctx context.Context, f ledger.Filter, cursor string) (*mcp.Result, error) {
	access := t.Directory.Access(ctx)
	tasks, next, err := t.Runner.Summaries(ctx, access, f, cursor)
	if err != nil {
		return nil, err
	}

	page := struct {
		Tasks []ledger.Summary `json:"tasks"`
		Next  string           `json:"next_cursor,omitempty"`
	}{Tasks: []ledger.Summary{}, Next: next}
	var text strings.Builder
	left := documents.MaxResult - 1000
	for i, s := range tasks {
		line := taskLine(&s)
		left -= documents.Length(s) + documents.Length(line)
		if left < 0 && i > 0 {
			page.Next = tasks[i-1].Mark()
			break
		}
		page.Tasks = append(page.Tasks, s)
		text.WriteString(line)
	}

	switch none := len(page.Tasks) == 0; {
	case none && page.Next == "" && f.Agent != "" && t.Directory.Agent(access, f.Agent) == nil:
		fmt.Fprintf(
			&text,
			"There are no such tasks, and no agent named %q: list_agents lists your agents.",
			sanitize.Short(f.Agent, 100),
		)
	case none && page.Next == "":
		text.WriteString("There are no such tasks.")
	case none:
		text.WriteString("None of them is on this page. ")
	}

	if page.Next != "" {
		fmt.Fprintf(&text, "There are more: call list_tasks with cursor %q.", page.Next)
	}

	return &mcp.Result{Content: []mcp.Content{mcp.Text(text.String())}, Structured: page}, nil
}

// taskLine is how a page lists a task as text.
func taskLine(s *ledger.Summary) string {
	line := fmt.Sprintf(
		"%s  %s  %s  %s",
		s.TaskID,
		s.Created.Format(time.RFC3339),
		s.Agent,
		s.State,
	)
	if s.Asked != "" {
		line += fmt.Sprintf("  asked: %q", sanitize.Truncate(s.Asked, 80))
	}
	if s.Message != "" {
		line += fmt.Sprintf(
			"  said: %q", sanitize.Truncate(strings.ReplaceAll(s.Message, "\n", " "), 80),
		)
	}

	return line + "\n"
}

var listTasksInput = json.RawMessage(`{
	"type": "object",
	"properties": {
		"agent": {"type": "string", "description": "Only tasks of this agent."},
		"state": {
			"type": "string",
			"enum": [
				"submitted", "working", "input-required", "auth-required",
				"completed", "canceled", "failed", "rejected", "unknown"
			],
			"description": "Only tasks in this state."
		},
		"since": {"type": "string", "format": "date-time", "description": "Only tasks sent at this time or later, for example 2026-11-20T00:00:00Z."},
		"limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
		"cursor": {"type": "string", "description": "next_cursor of the page before."}
	},
	"additionalProperties": false
}`)

var listTasksOutput = json.RawMessage(`{
	"type": "object",
	"properties": {
		"tasks": {
			"type": "array",
			"items": {
				"type": "object",
				"properties": {
					"task_id": {"type": "string"},
					"agent": {"type": "string"},
					"context_id": {"type": "string"},
					"state": {"type": "string"},
					"asked": {"type": "string", "description": "The beginning of what the agent was asked."},
					"message": {"type": "string", "description": "The beginning of what the agent said last."},
					"created": {"type": "string", "format": "date-time"},
					"updated": {"type": "string", "format": "date-time"}
				},
				"required": ["task_id", "agent", "context_id", "state", "created", "updated"]
			}
		},
		"next_cursor": {"type": "string", "description": "There is more: call again with this cursor."}
	},
	"required": ["tasks"]
}`)
