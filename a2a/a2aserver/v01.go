package a2aserver

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

// agentV01 is an agent for callers of 0.1. They choose the ids of tasks, so ids are translated.
// They expect a task as each answer, may send to an ended task, and number the artifacts.
type agentV01 struct {
	agent  a2a.Agent
	names  *taskNames
	caller string
}

// Send collects a stream into its task (a2a.Agent). With the agent's Send, callers
// would learn the agent's task id only at the end, and could not cancel the task before.
func (n agentV01) Send(ctx context.Context, req *a2a.SendRequest) (a2a.Event, error) {
	var task *a2a.Task
	for e, err := range n.begin(ctx, req) {
		if err != nil {
			return nil, err
		}
		if t, ok := e.(*a2a.Task); ok && task == nil {
			task = t.Clone()
		} else {
			task.Apply(e)
		}
		if a2a.StateOf(e).Idle() { // a stream may go on after a pause
			break
		}
	}

	if task.ContextID != "" && len(task.History) > 0 {
		return task, nil
	}
	// An agent that is itself of 0.1 says neither in a stream.
	whole, err := n.Task(ctx, a2a.TaskQuery{ID: task.ID, HistoryLength: req.HistoryLength})
	if err != nil {
		return task, nil // a message that belongs to no task
	}

	return whole, nil
}

// Stream delivers a message and yields the events that 0.1 has (a2a.Agent, except for the
// first event).
func (n agentV01) Stream(ctx context.Context, req *a2a.SendRequest) a2a.Events {
	return withoutTasks(n.begin(ctx, req))
}

// Task returns a task as it stands (a2a.Agent).
func (n agentV01) Task(ctx context.Context, q a2a.TaskQuery) (*a2a.Task, error) {
	given := q.ID
	q.ID = n.task(ctx, given)
	t, err := n.agent.Task(ctx, q)
	return n.renamed(t, given, err)
}

// Cancel stops a task (a2a.Agent).
func (n agentV01) Cancel(ctx context.Context, id a2a.TaskID) (*a2a.Task, error) {
	t, err := n.agent.Cancel(ctx, n.task(ctx, id))
	return n.renamed(t, id, err)
}

// Subscribe follows a task (a2a.Agent, but for the first event).
func (n agentV01) Subscribe(ctx context.Context, id a2a.TaskID) a2a.Events {
	return withoutTasks(rename(n.agent.Subscribe(ctx, n.task(ctx, id)), id))
}

// task returns the agent's id of the task that the caller calls id: id itself if
// the name was never given, for it may be the agent's own, or is no task yet.
func (n agentV01) task(ctx context.Context, id a2a.TaskID) a2a.TaskID {
	if task := n.names.task(n.caller, id); task != "" {
		return task
	}

	return cmp.Or(n.remembered(ctx, id), id)
}

// remembered returns the agent's id of the task that the caller calls id, if the
// agent keeps such names; "" if not.
func (n agentV01) remembered(ctx context.Context, id a2a.TaskID) a2a.TaskID {
	if keeper, ok := n.agent.(a2a.Namer); ok && id != "" {
		if task, err := keeper.TaskNamed(ctx, id); err == nil {
			return task
		}
	}

	return ""
}

// SetPush sets the webhook of a task (a2a.Pusher), of an agent that is one.
func (n agentV01) SetPush(ctx context.Context, c *a2a.PushConfig) (*a2a.PushConfig, error) {
	in := *c
	in.Name, in.TaskID = c.TaskID, n.task(ctx, c.TaskID)
	return n.agent.(a2a.Pusher).SetPush(ctx, &in)
}

// Push returns the webhook of a task (a2a.Pusher).
func (n agentV01) Push(ctx context.Context, task a2a.TaskID, id string) (*a2a.PushConfig, error) {
	c, err := n.agent.(a2a.Pusher).Push(ctx, n.task(ctx, task), id)
	if err != nil {
		return nil, err
	}

	out := *c
	out.Name = task
	return &out, nil
}

// Pushes returns the webhooks of a task (a2a.Pusher). 0.1 does not ask for them.
func (n agentV01) Pushes(ctx context.Context, task a2a.TaskID) ([]*a2a.PushConfig, error) {
	return n.agent.(a2a.Pusher).Pushes(ctx, n.task(ctx, task))
}

// DropPush forgets the webhook of a task (a2a.Pusher). 0.1 does not ask for it.
func (n agentV01) DropPush(ctx context.Context, task a2a.TaskID, id string) error {
	return n.agent.(a2a.Pusher).DropPush(ctx, n.task(ctx, task), id)
}

func (n agentV01) renamed(t *a2a.Task, id a2a.TaskID, err error) (*a2a.Task, error) {
	if err != nil {
		return nil, err
	}

	return withTaskID(t, id).(*a2a.Task), nil
}

// begin delivers a message to the task that the caller has named, or to a new
// one, and yields its events. The first event is a task.
func (n agentV01) begin(ctx context.Context, req *a2a.SendRequest) a2a.Events {
	return func(yield func(a2a.Event, error) bool) {
		given := req.Message.TaskID
		id, settle, err := n.names.claim(ctx, n.caller, given)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { settle(id) }()
		if id == "" {
			id = n.remembered(ctx, given)
		}
		out, err := n.outgoing(ctx, req, id)
		if err != nil {
			yield(nil, err)
			return
		}
		for e, err := range n.agent.Stream(ctx, out) {
			if t, ok := e.(*a2a.Task); ok {
				id = t.ID
				settle(id)
			}
			if err == nil {
				e = withTaskID(asTask(e), given)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// outgoing returns req for the agent, whose name of the task is id. A task that
// has ended, or that the agent has forgotten, cannot go on, though 0.1 has it so
// ("start a new Task, resume an interrupted Task, or reopen a completed Task"):
// then another task takes over its name and its context.
func (n agentV01) outgoing(
	ctx context.Context, req *a2a.SendRequest, id a2a.TaskID,
) (*a2a.SendRequest, error) {
	m := *req.Message
	out := *req
	out.Message = &m
	m.ID = cmp.Or(m.ID, uuid.NewString())
	out.Name = m.TaskID
	m.TaskID = id
	if req.Push != nil {
		push := *req.Push
		push.Name = out.Name
		out.Push = &push
	}
	if id == "" {
		return &out, nil
	}

	t, err := n.agent.Task(ctx, a2a.TaskQuery{ID: id, HistoryLength: new(0)})
	switch {
	case a2a.Is(err, a2a.TaskNotFound):
		m.TaskID = ""
	case err != nil:
		return nil, err
	case t.Status.State.Terminal():
		m.TaskID = ""
		m.ContextID = t.ContextID
	default:
		m.ContextID = t.ContextID
	}

	return &out, nil
}

// asTask makes a task of a message without one.
func asTask(e a2a.Event) a2a.Event {
	if m, ok := e.(*a2a.Message); ok {
		return &a2a.Task{
			ContextID: m.ContextID,
			Status:    a2a.Status{State: a2a.Completed, Message: m},
		}
	}

	return e
}

// withTaskID returns e about a task called id.
func withTaskID(e a2a.Event, id a2a.TaskID) a2a.Event {
	switch e := e.(type) {
	case *a2a.Task:
		c := *e
		c.ID = id
		return &c
	case *a2a.StatusUpdate:
		c := *e
		c.TaskID = id
		return &c
	case *a2a.ArtifactUpdate:
		c := *e
		c.TaskID = id
		return &c
	default:
		return e
	}
}

func rename(events a2a.Events, id a2a.TaskID) a2a.Events {
	return func(yield func(a2a.Event, error) bool) {
		for e, err := range events {
			if !yield(withTaskID(e, id), err) {
				return
			}
		}
	}
}

// withoutTasks replaces tasks by updates of their artifacts and status, and numbers the artifacts.
func withoutTasks(events a2a.Events) a2a.Events {
	return func(yield func(a2a.Event, error) bool) {
		var ids []string
		for e, err := range events {
			for _, update := range updates(e) {
				if u, ok := update.(*a2a.ArtifactUpdate); ok {
					if !slices.Contains(ids, u.Artifact.ID) {
						ids = append(ids, u.Artifact.ID)
					}
					u.Artifact.ID = wire.NumberedArtifact(slices.Index(ids, u.Artifact.ID))
				}
				if !yield(update, err) {
					return
				}
			}
		}
	}
}

// updates returns what stands for e in a stream of updates. Artifact updates are copies.
func updates(e a2a.Event) []a2a.Event {
	switch e := e.(type) {
	case *a2a.Task:
		var all []a2a.Event
		for _, a := range e.Artifacts {
			all = append(
				all, &a2a.ArtifactUpdate{TaskID: e.ID, ContextID: e.ContextID, Artifact: a},
			)
		}
		return append(all, &a2a.StatusUpdate{
			TaskID:    e.ID,
			ContextID: e.ContextID,
			Status:    e.Status,
			Metadata:  e.Metadata,
		})
	case *a2a.ArtifactUpdate:
		return []a2a.Event{new(*e)}
	default:
		return []a2a.Event{e}
	}
}
