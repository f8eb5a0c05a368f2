package runner

import (
	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/internal/i18n"
	"rialto/internal/quota"
)

// taskCounts counts the tasks that this process starts and follows, in all, by client and by agent.
// Those of a user are counted by the ledger, for all replicas. The zero value is ready.
type taskCounts struct{ clients, agents quota.Count }

// start counts a task that is about to start, until done, or returns which limit is reached.
func (c *taskCounts) start(e *ledger.Record, most Limits) (done func(), err error) {
	perClient := most.TasksPerClient
	if e.Client == "" {
		perClient = quota.Unlimited
	}

	leaveClient, refused := c.clients.Acquire(e.Client, perClient, quota.Unlimited)
	if refused != nil {
		return nil, &limitError{
			i18n.New(
				"This app has %d tasks running (limits.tasks, half for one app). "+
					"Nothing was sent. Wait for some of them to finish.",
				refused.Used,
			),
			refused.Status(),
		}
	}

	leaveAgent, refused := c.agents.Acquire(e.Agent, most.TasksPerAgent, most.Tasks)
	if refused == nil {
		return func() {
			leaveAgent()
			leaveClient()
		}, nil
	}

	leaveClient()
	why := i18n.New(
		"The agent %s has %d tasks running (limits.tasks, half for one agent). "+
			"Nothing was sent. Wait for some of them to finish, or choose another agent.",
		e.Agent,
		refused.Used,
	)
	if refused.Shared {
		why = i18n.New(
			"The server has %d tasks running (limits.tasks). Nothing was sent. Try again later.",
			refused.Used,
		)
	}

	return nil, &limitError{why, refused.Status()}
}

// enter counts a task that has a follower, until leave. It refuses none.
func (c *taskCounts) enter(e *ledger.Record) (leave func()) {
	leave, _ = c.start(e, Limits{
		TasksPerClient: quota.Unlimited,
		TasksPerAgent:  quota.Unlimited,
		Tasks:          quota.Unlimited,
	})
	return leave
}

// limitError says that a message is not sent because of a limit.
type limitError struct {
	*i18n.Message
	status int // of HTTP
}

// Unwrap returns the error in terms of A2A.
func (e *limitError) Unwrap() error {
	return &a2a.Error{
		Code:       a2a.RateLimited,
		Message:    e.Error(),
		NotSent:    true,
		HTTPStatus: e.status,
	}
}
