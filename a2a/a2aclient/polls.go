package a2aclient

import (
	"cmp"
	"context"
	"errors"
	"time"

	"rialto/a2a"
	"rialto/internal/quota"
)

// The bounds of polls of tasks beside their streams. Over HTTP/1.1 each poll takes another
// connection, which is closed afterwards: a task whose agent is silent holds one.
const (
	maxPolls    = 16
	pollTimeout = 5 * time.Second // of one poll
	pollPause   = 5 * time.Minute // in which an agent that did not answer a poll is not polled
)

// errPollSkipped says that a poll was left out.
var errPollSkipped = errors.New("the agent did not answer a look lately")

// poll reads a task beside its stream.
func (c *Client) poll(ctx context.Context, id a2a.TaskID) (*a2a.Task, error) {
	queue := cmp.Or(c.dialer.Polls, &c.dialer.ownPolls)
	end, err := queue.Acquire(ctx, "", quota.Room{Running: maxPolls, Waiting: quota.Unlimited})
	if err != nil {
		return nil, err
	}
	defer end()
	if time.Now().UnixNano() < c.noPollBefore.Load() {
		return nil, errPollSkipped
	}

	short, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	t, err := (&Client{connection: c.connection, user: c.user, closes: true}).Task(
		short, a2a.TaskQuery{ID: id},
	)
	if err != nil && short.Err() != nil && ctx.Err() == nil {
		c.noPollBefore.Store(time.Now().Add(pollPause).UnixNano())
	}

	return t, err
}
