package a2aclient

import (
	"context"
	"errors"
	"sync"
	"time"

	"rialto/a2a"
)

// The bounds of looks at tasks beside their streams. Over HTTP/1.1 each look takes another
// connection, which is closed afterwards: a task whose agent is silent holds one.
const (
	looksAtOnce = 16
	lookTime    = 5 * time.Second // of one look
	lookAgain   = 5 * time.Minute // after a look that an agent did not answer, none at it before
)

// Looks bounds the looks at tasks beside their streams. The zero value is ready.
type Looks struct {
	once    sync.Once
	running chan struct{}
}

// begin waits until a look may begin. If it returns nil, call end after the look.
func (l *Looks) begin(ctx context.Context) error {
	l.once.Do(func() { l.running = make(chan struct{}, looksAtOnce) })
	select {
	case l.running <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *Looks) end() { <-l.running }

// errNoLook says that a look was left out.
var errNoLook = errors.New("the agent did not answer a look lately")

// look reads a task beside its stream.
func (c *Client) look(ctx context.Context, id a2a.TaskID) (*a2a.Task, error) {
	looks := c.dialer.looks()
	if err := looks.begin(ctx); err != nil {
		return nil, err
	}
	defer looks.end()
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

func (d *Dialer) looks() *Looks {
	if d.Looks != nil {
		return d.Looks
	}
	return &d.ownLooks
}
