package mcptest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"rialto/mcp"
)

// TaskTools returns the tools that begin tasks for the conformance suite. They
// keep them in ts, which the server must have as its Tasks.
func TaskTools(ts *Tasks) []mcp.Tool {
	return []mcp.Tool{
		greet(), ts.slowCompute(),
		ts.begins("failing_job", mcp.TasksRequired, noArguments, func(context.Context, *Job, arguments) (*mcp.Result, error) {
			return nil, errors.New("this job always fails")
		}),
		ts.begins("protocol_error_job", mcp.TasksRequired, noArguments, func(context.Context, *Job, arguments) (*mcp.Result, error) {
			return nil, &mcp.Error{Code: -32603, Message: "this job cannot be done at all"}
		}),
		ts.begins("confirm_delete", mcp.TasksRequired, `{"type":"object","properties":{"filename":{"type":"string"}}}`, confirmDelete),
		ts.begins("multi_input", mcp.TasksRequired, noArguments, multiInput),
		ts.asksThenWorks(),
	}
}

type arguments struct {
	Name, Filename, Label string
	Seconds               float64
}

func says(format string, args ...any) *mcp.Result {
	return &mcp.Result{Content: []mcp.Content{mcp.Text(fmt.Sprintf(format, args...))}}
}

func greet() mcp.Tool {
	t := answers("greet")
	t.InputSchema = form(`"name":{"type":"string"}`, `"name"`)
	t.Call = func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		var in arguments
		if err := json.Unmarshal(c.Arguments, &in); err != nil {
			return nil, err
		}
		return says("Hello, %s!", in.Name), nil
	}
	return t
}

func (ts *Tasks) begins(name string, support mcp.TaskSupport, schema string, work func(context.Context, *Job, arguments) (*mcp.Result, error)) mcp.Tool {
	t := answers(name)
	t.InputSchema, t.Tasks = json.RawMessage(schema), support
	t.Call = func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		var in arguments
		if err := json.Unmarshal(c.Arguments, &in); err != nil {
			return nil, err
		}
		return &mcp.Result{Task: ts.Begin(c.Principal, func(ctx context.Context, j *Job) (*mcp.Result, error) {
			return work(ctx, j, in)
		})}, nil
	}
	return t
}

// slowCompute returns a tool that begins a task if the client takes one, and else waits.
func (ts *Tasks) slowCompute() mcp.Tool {
	work := func(ctx context.Context, _ *Job, in arguments) (*mcp.Result, error) {
		select {
		case <-time.After(time.Duration(in.Seconds * float64(time.Second))):
			return says("computed %s", in.Label), nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	t := ts.begins("slow_compute", mcp.TasksOptional,
		`{"type":"object","properties":{"seconds":{"type":"number","minimum":0,"maximum":600},"label":{"type":"string"}}}`, work)
	begin := t.Call
	t.Call = func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		if c.TakesTask {
			return begin(ctx, c)
		}
		var in arguments
		if err := json.Unmarshal(c.Arguments, &in); err != nil {
			return nil, err
		}
		return work(ctx, nil, in)
	}
	return t
}

func confirmDelete(ctx context.Context, j *Job, in arguments) (*mcp.Result, error) {
	got, err := j.Ask(ctx, mcp.ElicitForm("confirm", "Delete "+in.Filename+"?", form(`"confirm":{"type":"boolean"}`, "")))
	if err != nil {
		return nil, err
	}
	return says("%s: %s", in.Filename, say(got)[0]), nil
}

func multiInput(ctx context.Context, j *Job, _ arguments) (*mcp.Result, error) {
	got, err := j.Ask(ctx,
		mcp.ElicitForm("first", "What is your first name?", form(`"name":{"type":"string"}`, "")),
		mcp.ElicitForm("second", "What is your second name?", form(`"name":{"type":"string"}`, "")))
	if err != nil {
		return nil, err
	}
	return says("%s and %s", say(got)...), nil
}

// asksThenWorks returns a tool that asks before it begins its task.
func (ts *Tasks) asksThenWorks() mcp.Tool {
	t := answers("test_tool_with_task")
	t.Tasks = mcp.TasksRequired
	t.Call = func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		got, err := c.Ask(ctx, askName)
		if err != nil {
			return nil, err
		}
		return &mcp.Result{Task: ts.Begin(c.Principal, func(context.Context, *Job) (*mcp.Result, error) {
			return says("Hello, %s!", say(got)...), nil
		})}, nil
	}
	return t
}
