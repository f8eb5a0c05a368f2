package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	gomcp "github.com/mark3labs/mcp-go/mcp"

	"rialto/internal/jsonrpc"
)

// TasksExtension is the name by which clients since 2026-07-28 declare that
// they take tasks (SEP-2663).
const TasksExtension = "io.modelcontextprotocol/tasks"

// Task is work that outlives the call that began it. Its client asks for it by
// its ID, until it has ended.
type Task struct {
	ID     string
	Status TaskStatus
	// Message tells people how it stands; it may be empty.
	Message string
	// Updated is another time than before whenever something in the task is
	// another than before.
	Created, Updated time.Time
	TTL              time.Duration // how long it is kept from Created, as it stands; zero means for ever
	Poll             time.Duration // how often a client should ask; zero says nothing

	Questions []Question // what it waits for, if InputRequired; no key is ever used again
	// Unasked is what the task has come to for a client that cannot be asked
	// the Questions. If it is nil, the task waits for another client.
	Unasked *Result
	Result  *Result // if Completed, also if the tool was not able to do it
	Err     *Error  // if Failed: the call could not be made at all
}

// TaskStatus says where a task stands.
type TaskStatus string

// The states of a task. The last three are final.
const (
	Working       TaskStatus = "working"
	InputRequired TaskStatus = "input_required"
	Completed     TaskStatus = "completed"
	Failed        TaskStatus = "failed"
	Cancelled     TaskStatus = "cancelled"
)

// Final tells whether the task has ended.
func (s TaskStatus) Final() bool { return s == Completed || s == Failed || s == Cancelled }

// ErrNoTask says that the principal has no such task. Whether another has one
// is nobody's business.
var ErrNoTask = errors.New("no such task")

// Tasks keeps tasks. A tool puts one in before it returns it as Result.Task,
// so that whoever has its ID can have it, on every replica and after a
// restart. Its methods may be called concurrently; each returns ErrNoTask for
// a task that the principal does not have.
type Tasks interface {
	// Task returns the task as it stands.
	Task(ctx context.Context, principal, id string) (*Task, error)

	// Next returns the task once it has been updated since it was as seen, a
	// Task.Updated: at once if that is so already. It returns the context's
	// error when that ends first.
	Next(ctx context.Context, principal, id string, seen time.Time) (*Task, error)

	// AnswerTask takes answers to the task's questions, by their keys. Not all
	// of them have to come at once. An answer to what is not asked, or that
	// Question.Answer refuses, is ignored.
	AnswerTask(ctx context.Context, principal, id string, answers map[string]json.RawMessage) error

	// CancelTask asks for the task to end. It may still end otherwise; one
	// that has ended stays as it is.
	CancelTask(ctx context.Context, principal, id string) error
}

// TaskSupport says whether a tool begins tasks.
type TaskSupport string

// What a tool may say of its TaskSupport.
const (
	NoTasks       TaskSupport = ""         // it returns results only
	TasksOptional TaskSupport = "optional" // a task if the client takes one: see Call.TakesTask
	TasksRequired TaskSupport = "required" // it cannot be called by a client that takes none
)

// takesTask tells whether the client takes a task instead of a result:
// because it declared that it does, or, in 2025-11-25, asked for one.
func (x *exchange) takesTask() bool {
	switch {
	case x.s.Tasks == nil:
		return false
	case modern(x.client.Revision):
		return x.client.extends(TasksExtension)
	}
	return x.client.Revision == Revision20251125 && len(x.params.other().Task) > 0
}

// errTasksUndeclared is the error of what a client may not do that did not
// declare the extension.
func errTasksUndeclared() *Error {
	return MissingCapability(json.RawMessage(`{"extensions":{"` + TasksExtension + `":{}}}`))
}

// refuseTask returns the error of a call that the tool's TaskSupport forbids.
func (x *exchange) refuseTask(t *tool) error {
	takes := x.takesTask()
	switch {
	case t.Tasks == TasksRequired && !takes && modern(x.client.Revision):
		return errTasksUndeclared()
	case t.Tasks == TasksRequired && !takes:
		return jsonrpc.Errorf(codeMethodNotFound, "%s can only be called as a task", t.Name)
	case t.Tasks == NoTasks && takes && !modern(x.client.Revision):
		return jsonrpc.Errorf(codeMethodNotFound, "%s cannot be called as a task", t.Name)
	case takes && !modern(x.client.Revision) && x.params.other().Task[0] != '{':
		return invalidParams("\"task\" must be an object, for example {\"ttl\":60000}")
	}
	return nil
}

// shown returns the task as its client is to see it. Of a client that did not
// declare that it can be asked, nothing may be asked in a task either: it would
// wait for ever.
func (x *exchange) shown(t *Task) *Task {
	allowed := func(q Question) bool { return q.allowed(x.client.Capabilities) }
	if t.Status != InputRequired || t.Unasked == nil || all(t.Questions, allowed) {
		return t
	}
	ended := *t
	ended.Status, ended.Questions, ended.Result = Completed, nil, t.Unasked
	return &ended
}

func all[T any](s []T, ok func(T) bool) bool {
	return !slices.ContainsFunc(s, func(v T) bool { return !ok(v) })
}

// created returns the result of a call that began a task. A client that takes
// its result as well gets that, if it is there.
func (x *exchange) created(begun *Task) (json.RawMessage, error) {
	switch t := x.shown(begun); {
	case !x.takesTask():
		return nil, errTasksUndeclared()
	case modern(x.client.Revision) && t.Status == Completed:
		return t.result().render(x.client.Revision, x.s.ready.info)
	case modern(x.client.Revision):
		b := t.append([]byte(`{"resultType":"task",`), "ttlMs", "pollIntervalMs")
		b = append(append(b, `,"_meta":{"`+gomcp.MetaKeyServerInfo+`":`...), x.s.ready.info...)
		return append(b, "}}"...), nil
	default: // "Tasks MUST begin in the `working` status when created" (2025-11-25, "Task Status Lifecycle")
		begins := *t
		begins.Status = Working
		return append(begins.append([]byte(`{"task":{`), "ttl", "pollInterval"), "}}"...), nil
	}
}

// append appends the members of the task without what it has come to.
func (t *Task) append(b []byte, ttl, poll string) []byte {
	b = jsonrpc.AppendString(append(b, `"taskId":`...), t.ID)
	b = append(append(append(b, `,"status":"`...), t.Status...), '"')
	if t.Message != "" {
		b = jsonrpc.AppendString(append(b, `,"statusMessage":`...), t.Message)
	}
	b = t.Created.UTC().AppendFormat(append(b, `,"createdAt":"`...), time.RFC3339Nano)
	b = t.Updated.UTC().AppendFormat(append(b, `","lastUpdatedAt":"`...), time.RFC3339Nano)
	b = append(b, `","`+ttl+`":`...)
	if t.TTL > 0 {
		b = strconv.AppendInt(b, max(t.TTL.Milliseconds(), 1), 10)
	} else {
		b = append(b, "null"...)
	}
	if t.Poll > 0 {
		b = strconv.AppendInt(append(b, `,"`+poll+`":`...), max(t.Poll.Milliseconds(), 1), 10)
	}
	return b
}

// detailed appends the members of the task with what it has come to, as
// tasks/get and notifications/tasks show it since 2026-07-28.
func (t *Task) detailed(b []byte, info json.RawMessage) ([]byte, error) {
	b = t.append(b, "ttlMs", "pollIntervalMs")
	switch t.Status {
	case InputRequired:
		b = appendQuestions(append(b, `,"inputRequests":`...), t.Questions)
	case Completed:
		result, err := t.result().render(Revision20260728, info)
		if err != nil {
			return nil, err
		}
		b = append(append(b, `,"result":`...), result...)
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
		return jsonrpc.Errorf(codeInternal, "internal error")
	}
	return t.Err
}
