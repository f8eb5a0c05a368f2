package a2aserver

import (
	"context"
	"sync"

	"rialto/a2a"
	"rialto/internal/lru"
)

// taskNames maps the ids that callers of 0.1 give to tasks to those of the agent. It is kept in
// memory, as in the servers of that generation; an a2a.Namer keeps the ids beyond a restart.
type taskNames struct {
	mu    sync.Mutex
	known lru.Cache[name, *namedTask]
}

// name is what a caller calls a task.
type name struct {
	caller string
	id     a2a.TaskID
}

// namedTask is the task of a name. Until the message that starts the task is answered, task
// is "" and ready is open.
type namedTask struct {
	ready chan struct{}
	task  a2a.TaskID
}

// has reports whether caller has given a task that name.
func (n *taskNames) has(caller string, id a2a.TaskID) bool {
	_, ok := n.known.Get(name{caller, id})
	return ok
}

// task returns the agent's id of the task that caller calls id; "" if the name was never given, or
// means no task yet.
func (n *taskNames) task(caller string, id a2a.TaskID) a2a.TaskID {
	n.mu.Lock()
	defer n.mu.Unlock()
	if m, ok := n.known.Get(name{caller, id}); ok {
		return m.task
	}
	return ""
}

// claim returns the agent's id of the task that caller calls id, or "" if there is none. Other
// claims of it then wait until settle is called with the id of the task, or "" for none. Settle may
// be called again, and then changes nothing but another task.
func (n *taskNames) claim(
	ctx context.Context, caller string, id a2a.TaskID,
) (a2a.TaskID, func(a2a.TaskID), error) {
	key := name{caller, id}
	for {
		n.mu.Lock()
		m, ok := n.known.Get(key)
		if !ok {
			m = &namedTask{ready: make(chan struct{})}
			n.known.Put(key, m)
			n.mu.Unlock()
			return "", func(task a2a.TaskID) { n.settle(key, m, task) }, nil
		}
		task := m.task
		n.mu.Unlock()
		if task != "" {
			return task, func(task a2a.TaskID) { n.settle(key, m, task) }, nil
		}
		select {
		case <-m.ready:
		case <-ctx.Done():
			return "", nil, ctx.Err()
		}
	}
}

func (n *taskNames) settle(key name, m *namedTask, task a2a.TaskID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if m.task == "" {
		select {
		case <-m.ready:
		default:
			close(m.ready)
		}
	}

	m.task = task
	if now, _ := n.known.Get(key); task == "" && now == m {
		n.known.Drop(key)
	}
}
