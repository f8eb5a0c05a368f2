package bridge

import (
	"context"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/mcp"
)

const (
	defaultPage = 20
	largestPage = 100
)

// TaskFilter chooses tasks of one owner, the latest first. Empty fields do not
// filter.
type TaskFilter struct {
	Agent string
	State a2a.State
	Since time.Time // created then or later
	After TaskMark  // only what comes after this task in the list
	Limit int       // at most so many; required
}

// TaskMark is a place in a list of tasks.
type TaskMark struct {
	Created time.Time
	Handle  string
}

// TaskSummary is what list_tasks tells of one task.
type TaskSummary struct {
	TaskID    string    `json:"task_id"`
	Agent     string    `json:"agent"`
	ContextID string    `json:"context_id"`
	State     a2a.State `json:"state"`
	Asked     string    `json:"asked,omitempty"`   // the beginning of what the agent was asked
	Message   string    `json:"message,omitempty"` // the beginning of what it said last
	Created   time.Time `json:"created"`
	Updated   time.Time `json:"updated"`
}

// listArgs are the arguments of list_tasks.
type listArgs struct {
	Agent  string    `json:"agent"`
	State  a2a.State `json:"state"`
	Since  string    `json:"since"`
	Limit  int       `json:"limit"`
	Cursor string    `json:"cursor"`
}

func (b *Bridge) listTasks() mcp.Tool {
	return mcp.Tool{
		Name:         "list_tasks",
		Title:        "List your tasks",
		Description:  "List the tasks that you have sent, the latest first, with where each stands. Use get_task for the result of one.",
		InputSchema:  listTasksInput,
		OutputSchema: listTasksOutput,
		ReadOnly:     true,
		Idempotent:   true,
		Call: func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			var args listArgs
			if wrong := c.Decode(&args); wrong != nil {
				return wrong, nil
			}
			filter, err := args.filter()
			if err != nil {
				return b.refuse(err)
			}
			return b.page(ctx, filter, args.Cursor)
		},
	}
}

func (a *listArgs) filter() (f TaskFilter, err error) {
	f = TaskFilter{Agent: a.Agent, State: a.State, Limit: defaultPage}
	if a.Limit > 0 {
		f.Limit = min(a.Limit, largestPage)
	}
	if a.Since != "" {
		if f.Since, err = time.Parse(time.RFC3339, a.Since); err != nil {
			return f, inputError{"The argument \"since\" is not a time such as 2026-11-20T00:00:00Z."}
		}
	}
	return f, nil
}

// ErrCursor says that a cursor is none that a list gave.
var ErrCursor error = inputError{"The argument \"cursor\" is not the next_cursor of an earlier list_tasks result. Leave it out to start at the latest task."}

// mostLooks is how often a page is looked for on which something is for the caller.
const mostLooks = 20

// Summaries returns a page of the caller's tasks, and the cursor of the next
// one, "" at the end. It asks for one task more than it returns, to know whether
// there is more, and goes on behind tasks that are not for the caller: neither an
// empty page nor a cursor tells of them.
func (b *Bridge) Summaries(ctx context.Context, f TaskFilter, cursor string) ([]TaskSummary, string, error) {
	if cursor != "" {
		var ok bool
		if f.After, ok = parseMark(cursor); !ok {
			return nil, "", ErrCursor
		}
	}
	all, limit := []TaskSummary{}, f.Limit
	if f.Agent != "" && b.hides(ctx, f.Agent) {
		return all, "", nil
	}
	f.Limit++
	for range mostLooks {
		tasks, err := b.Ledger.Tasks(ctx, b.Caller(ctx).User, f)
		if err != nil {
			return nil, "", fmt.Errorf("listing tasks: %w", err)
		}
		for _, t := range tasks {
			switch {
			case b.hides(ctx, t.Agent):
			case len(all) == limit:
				return all, all[limit-1].mark(), nil
			default:
				all = append(all, t)
			}
		}
		if len(tasks) < f.Limit {
			return all, "", nil
		}
		last := tasks[len(tasks)-1]
		f.After = TaskMark{last.Created, last.TaskID}
	}
	return all, f.After.String(), nil
}

// mark is the cursor of what comes behind the task.
func (s *TaskSummary) mark() string { return TaskMark{s.Created, s.TaskID}.String() }

// page renders a page of tasks.
func (b *Bridge) page(ctx context.Context, f TaskFilter, cursor string) (*mcp.Result, error) {
	tasks, next, err := b.Summaries(ctx, f, cursor)
	if err != nil {
		return b.refuse(err)
	}
	page := struct {
		Tasks []TaskSummary `json:"tasks"`
		Next  string        `json:"next_cursor,omitempty"`
	}{Tasks: []TaskSummary{}, Next: next}
	var text strings.Builder
	left := maxResult - 1000
	for i, s := range tasks {
		line := s.line()
		if left -= length(s) + length(line); left < 0 && i > 0 {
			page.Next = tasks[i-1].mark()
			break
		}
		page.Tasks = append(page.Tasks, s)
		text.WriteString(line)
	}
	switch none := len(page.Tasks) == 0; {
	case none && page.Next == "" && f.Agent != "" && b.known(ctx, f.Agent) == nil:
		fmt.Fprintf(&text, "There are no such tasks, and no agent named %q: list_agents tells which there are.", shown(f.Agent, 100))
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

// line is how a page lists the task as text.
func (s *TaskSummary) line() string {
	line := fmt.Sprintf("%s  %s  %s  %s", s.TaskID, s.Created.Format(time.RFC3339), s.Agent, s.State)
	if s.Asked != "" {
		line += fmt.Sprintf("  asked: %q", clip(s.Asked, 80))
	}
	if s.Message != "" {
		line += fmt.Sprintf("  said: %q", clip(strings.ReplaceAll(s.Message, "\n", " "), 80))
	}
	return line + "\n"
}

// Summary returns what list_tasks tells of e.
func (e *Entry) Summary() TaskSummary {
	s := TaskSummary{
		TaskID: e.Handle, Agent: e.Agent, ContextID: shown(e.ContextID(), 200), State: e.State(), Asked: e.Asked,
		Created: e.Created.UTC(), Updated: e.Updated.UTC(),
	}
	switch {
	case e.Failure != nil:
		s.Message = clip(e.Failure.Message, 200)
	case e.Task != nil:
		s.Message = shown(e.Task.Status.Message.Text(), 200)
	}
	return s
}

// String returns m as an opaque cursor.
func (m TaskMark) String() string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(m.Created.UnixMilli(), 10) + " " + m.Handle))
}

func parseMark(cursor string) (TaskMark, bool) {
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	created, handle, ok := strings.Cut(string(b), " ")
	ms, number := strconv.ParseInt(created, 10, 64)
	if err != nil || !ok || number != nil {
		return TaskMark{}, false
	}
	return TaskMark{time.UnixMilli(ms), handle}, true
}
