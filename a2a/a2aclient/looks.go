package a2aclient

import (
	"cmp"
	"context"
	"errors"
	"time"

	"rialto/a2a"
	"rialto/internal/quota"
)

// The bounds of looks at tasks beside their streams. Over HTTP/1.1 each look takes another
// connection, which is closed afterwards: a task whose agent is silent holds one.
const (
	looksAtOnce = 16
	lookTime    = 5 * time.Second // of one look
	lookAgain   = 5 * time.Minute // after a look that an agent did not answer, none at it before
)

// errNoLook says that a look was left out.
var errNoLook = errors.New("the agent did not answer a look lately")

// look reads a task beside its stream.
func (c *Client) look(ctx context.Context, id a2a.TaskID) (*a2a.Task, error) {
	queue := cmp.Or(c.dialer.Looks, &c.dialer.ownLooks)
	end, err := queue.Acquire(ctx, "", quota.Room{Running: looksAtOnce, Waiting: quota.Unlimited})
	if err != nil {
		return nil, err
	}
	defer end()
	if time.Now().UnixNano() < c.noLook.Load() {
		return nil, errNoLook
	}
	short, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	t, err := (&Client{connection: c.connection, user: c.user, closes: true}).Task(short, a2a.TaskQuery{ID: id})
	if err != nil && short.Err() != nil && ctx.Err() == nil {
		c.noLook.Store(time.Now().Add(lookAgain).UnixNano())
	}
	return t, err
}
