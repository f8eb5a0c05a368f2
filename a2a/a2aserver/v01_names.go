package a2aserver

import (
	"context"
	"sync"

	"rialto/a2a"
)

// maxNames bounds how many names of tasks are kept. The oldest are forgotten.
const maxNames = 10000

// taskNames maps the ids that callers of 0.1 give to tasks to those of the agent. It is kept in
// memory, as in the servers of that generation; an a2a.Namer keeps the ids beyond a restart.
type taskNames struct {
	mu    sync.Mutex
	known map[name]*namedTask
	order []name // the oldest first
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
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.known[name{caller, id}] != nil
}

// task returns the agent's id of the task that caller calls id: id itself if
// the name was never given, for it may be the agent's own, or is no task yet.
func (n *taskNames) task(caller string, id a2a.TaskID) a2a.TaskID {
	n.mu.Lock()
	defer n.mu.Unlock()
	if m := n.known[name{caller, id}]; m != nil && m.task != "" {
		return m.task
	}
	return id
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
		m := n.known[key]
		if m == nil {
			m = n.add(key)
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

// add makes a name that means nothing yet. It holds n.mu.
func (n *taskNames) add(key name) *namedTask {
	if n.known == nil {
		n.known = map[name]*namedTask{}
	}
	if len(n.order) >= maxNames {
		delete(n.known, n.order[0])
		n.order = n.order[1:]
	}

	m := &namedTask{ready: make(chan struct{})}
	n.known[key] = m
	n.order = append(n.order, key)
	return m
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
	if task == "" && n.known[key] == m {
		n.forget(key)
	}
}

// forget holds n.mu.
func (n *taskNames) forget(key name) {
	delete(n.known, key)
	for i := len(n.order) - 1; i >= 0; i-- {
		if n.order[i] == key {
			n.order = append(n.order[:i], n.order[i+1:]...)
			return
		}
	}
}
