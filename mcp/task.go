package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"rialto/internal/jsonrpc"
)

// TasksExtension is the name by which clients since 2026-07-28 declare that they take
// tasks (SEP-2663).
const TasksExtension = "io.modelcontextprotocol/tasks"

// Task is work that outlives the call that began it. Its client asks for it by its ID,
// until it has ended.
type Task struct {
	ID     string
	Status TaskStatus
	// Message describes the status to people; it may be empty.
	Message string
	// ImmediateResponse is what a model reads as the result of the call, while the task goes on in the
	// background (2025-11-25, basic/utilities/tasks, "Model Immediate Response"). It may be empty.
	ImmediateResponse string
	// Updated changes whenever anything in the task changes.
	Created, Updated time.Time
	TTL              time.Duration // how long it is kept from Created; zero means forever
	Poll             time.Duration // how often a client should ask; zero says nothing

	Questions []Question // what it waits for, if InputRequired; a key is never reused
	// FallbackResult is the result for a client that cannot be asked the Questions. If it is
	// nil, the task waits for another client.
	FallbackResult *Result
	Result         *Result // if Completed, also if the tool failed
	Err            *Error  // if Failed: the call could not be made at all
}

// TaskStatus is the status of a task.
type TaskStatus string

// The statuses of a task. The last three are final.
const (
	Working       TaskStatus = "working"
	InputRequired TaskStatus = "input_required"
	Completed     TaskStatus = "completed"
	Failed        TaskStatus = "failed"
	Cancelled     TaskStatus = "cancelled"
)

// Final tells whether the task has ended.
func (s TaskStatus) Final() bool { return s == Completed || s == Failed || s == Cancelled }

// ErrNoTask says that the principal has no such task. It does not tell whether another has one.
var ErrNoTask = errors.New("no such task")

// Tasks keeps tasks. A tool stores one before it returns it as Result.Task, so that it
// can be found by its ID on every replica and after a restart. The methods may be called
// concurrently; each returns ErrNoTask for a task that the principal does not have.
type Tasks interface {
	// Task returns the current task.
	Task(ctx context.Context, principal, id string) (*Task, error)

	// Next waits until Task.Updated is not seen any more, and returns the task. It
	// returns the context's error if that ends first.
	Next(ctx context.Context, principal, id string, seen time.Time) (*Task, error)

	// AnswerTask takes answers to the task's questions, by their keys. They need not come all at
	// once. It ignores an answer to anything else, and one that Question.Answer refuses.
	AnswerTask(ctx context.Context, principal, id string, answers map[string]json.RawMessage) error

	// CancelTask requests the task to end. The task may still end otherwise; one that
	// has ended does not change.
	CancelTask(ctx context.Context, principal, id string) error
}

// TaskSupport says whether a tool begins tasks.
type TaskSupport string

// The values of a tool's TaskSupport.
const (
	NoTasks       TaskSupport = ""         // it returns results only
	TasksOptional TaskSupport = "optional" // a task if the client takes one: see Call.TakesTask
	TasksRequired TaskSupport = "required" // a client that takes no tasks cannot call it
)

// TaskCall is a request about a task.
type TaskCall struct {
	ID string // as the client sent it
}

// append appends the members of the task without its outcome.
func (t *Task) append(b []byte, ttl, poll string) []byte {
	b = fmt.Appendf(b, `"taskId":%s,"status":%q`, quoted(t.ID), t.Status)
	if t.Message != "" {
		b = fmt.Appendf(b, `,"statusMessage":%s`, quoted(t.Message))
	}

	created := t.Created.UTC().Format(time.RFC3339Nano)
	updated := t.Updated.UTC().Format(time.RFC3339Nano)
	b = fmt.Appendf(b, `,"createdAt":%q,"lastUpdatedAt":%q,%q:`, created, updated, ttl)
	if t.TTL > 0 {
		b = strconv.AppendInt(b, max(t.TTL.Milliseconds(), 1), 10)
	} else {
		b = append(b, "null"...)
	}
	if t.Poll > 0 {
		b = fmt.Appendf(b, `,%q:%d`, poll, max(t.Poll.Milliseconds(), 1))
	}

	return b
}

// appendDetailed appends the members of the task with its outcome, as tasks/get and
// notifications/tasks show it since 2026-07-28.
func (t *Task) appendDetailed(b []byte, info json.RawMessage) ([]byte, error) {
	b = t.append(b, "ttlMs", "pollIntervalMs")
	switch t.Status {
	case InputRequired:
		b = fmt.Appendf(b, `,"inputRequests":%s`, inputRequests(t.Questions))
	case Completed:
		result, err := t.result().render(Revision20260728, info)
		if err != nil {
			return nil, err
		}
		b = fmt.Appendf(b, `,"result":%s`, result)
	case Failed:
		b = t.failure().Append(append(b, `,"error":`...))
	}

	return b, nil
}

func (t *Task) result() *Result {
	if t.Result == nil {
		return &Result{}
	}
	return t.Result
}

func (t *Task) failure() *Error {
	if t.Err == nil {
		return jsonrpc.Errorf(jsonrpc.CodeInternal, "internal error")
	}
	return t.Err
}

// shownTo returns the task as a client sees it. A client that did not declare that it
// can be asked gets the result for that case: its task would wait forever.
func (t *Task) shownTo(c Client) *Task {
	if t.Status != InputRequired || t.FallbackResult == nil {
		return t
	}

	for _, q := range t.Questions {
		if !q.allowed(c.Capabilities) {
			ended := *t
			ended.Status = Completed
			ended.Questions = nil
			ended.Result = t.FallbackResult
			return &ended
		}
	}

	return t
}

// asCore returns the task with the status that it has in 2025-11-25: there, one whose
// result is an error has failed ("Task Execution Errors"), and keeps the result.
func (t *Task) asCore() *Task {
	if t.Status != Completed || !t.result().IsError {
		return t
	}
	failed := *t
	failed.Status = Failed
	return &failed
}
