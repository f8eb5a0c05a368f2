package a2atest

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"rialto/a2a"
)

// Webhooks is an Agent that keeps the configs of push notifications and sends none.
type Webhooks struct {
	*Agent

	mu   sync.Mutex
	kept []*a2a.PushConfig
}

var _ a2a.Pusher = (*Webhooks)(nil)

// SetPush keeps a config (a2a.Pusher).
func (w *Webhooks) SetPush(ctx context.Context, c *a2a.PushConfig) (*a2a.PushConfig, error) {
	if _, err := w.Task(ctx, a2a.TaskQuery{ID: c.TaskID}); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	one := *c
	if one.ID == "" {
		one.ID = "config-" + strconv.Itoa(len(w.kept)+1)
	}
	if i := w.index(c.TaskID, one.ID); i >= 0 {
		w.kept[i] = &one
	} else {
		w.kept = append(w.kept, &one)
	}
	return &one, nil
}

// index returns where a config is kept, or -1. Without an id it is the first.
func (w *Webhooks) index(task a2a.TaskID, id string) int {
	return slices.IndexFunc(w.kept, func(c *a2a.PushConfig) bool { return c.TaskID == task && (id == "" || c.ID == id) })
}

// Push returns a config (a2a.Pusher).
func (w *Webhooks) Push(_ context.Context, task a2a.TaskID, id string) (*a2a.PushConfig, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := w.index(task, id)
	if i < 0 {
		return nil, a2a.Errorf(a2a.TaskNotFound, "there is no such config")
	}
	return w.kept[i], nil
}

// Pushes lists the configs of a task (a2a.Pusher).
func (w *Webhooks) Pushes(_ context.Context, task a2a.TaskID) ([]*a2a.PushConfig, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []*a2a.PushConfig
	for _, c := range w.kept {
		if c.TaskID == task {
			all = append(all, c)
		}
	}
	return all, nil
}

// DropPush forgets a config (a2a.Pusher).
func (w *Webhooks) DropPush(_ context.Context, task a2a.TaskID, id string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept = slices.DeleteFunc(w.kept, func(c *a2a.PushConfig) bool { return c.TaskID == task && c.ID == id })
	return nil
}
