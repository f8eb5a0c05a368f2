package runner

import (
	"net/http"
	"sync"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/internal/message"
)

// taskCounts counts the tasks that this process starts and follows, in all, by client and by agent.
// Those of a user are counted by the ledger, for all replicas. The zero value is ready.
type taskCounts struct {
	mu  sync.Mutex
	all int
	of  map[countKey]int
}

// countKey is a client or an agent.
type countKey struct{ client, agent string }

// start counts a task that is about to start, until done, or returns which limit is reached.
func (c *taskCounts) start(e *ledger.Record, most Limits) (done func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ofClient, ofAgent := c.of[countKey{client: e.Client}], c.of[countKey{agent: e.Agent}]
	switch {
	case e.Client != "" && ofClient >= most.TasksPerClient:
		return nil, &limitError{message.New("This app has %d tasks running (limits.tasks_per_client). Nothing was sent. Wait for some of them to finish.", ofClient), http.StatusTooManyRequests}
	case ofAgent >= most.TasksPerAgent:
		return nil, &limitError{message.New("The agent %s has %d tasks running (limits.tasks_per_agent). Nothing was sent. Wait for some of them to finish, or choose another agent.", e.Agent, ofAgent), http.StatusTooManyRequests}
	case c.all >= most.Tasks:
		return nil, &limitError{message.New("The server has %d tasks running (limits.tasks). Nothing was sent. Try again later.", c.all), http.StatusServiceUnavailable}
	}
	c.add(e, 1)
	return func() { c.leave(e) }, nil
}

// enter counts a task that has a follower, until leave.
func (c *taskCounts) enter(e *ledger.Record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(e, 1)
}

// leave undoes enter or start.
func (c *taskCounts) leave(e *ledger.Record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(e, -1)
}

// add is called with c.mu held.
func (c *taskCounts) add(e *ledger.Record, n int) {
	if c.of == nil {
		c.of = map[countKey]int{}
	}
	c.all += n
	for _, key := range [...]countKey{{client: e.Client}, {agent: e.Agent}} {
		if c.of[key] += n; c.of[key] == 0 {
			delete(c.of, key)
		}
	}
}

// limitError says that a message is not sent because of a limit.
type limitError struct {
	*message.Message
	status int // of HTTP
}

// Unwrap returns the error in terms of A2A.
func (e *limitError) Unwrap() error {
	return &a2a.Error{Code: a2a.RateLimited, Message: e.Error(), NotSent: true, HTTPStatus: e.status}
}
