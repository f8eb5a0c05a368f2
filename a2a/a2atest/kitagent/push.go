package main

import (
	"context"
	"log"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/a2a/a2apush"
	"rialto/internal/safehttp"
)

// maxConfigs bounds the webhooks kept, and notifyTime notifying those of one task.
const (
	maxConfigs = 1000
	notifyTime = 5 * time.Second
)

// webhooks keeps the configs of push notifications, the first set first, and notifies them.
type webhooks struct {
	sender a2apush.Sender

	mu   sync.Mutex
	kept []*a2a.PushConfig
}

// newWebhooks accepts webhooks on the same machine, where the kit receives, without validation.
func newWebhooks() *webhooks {
	return &webhooks{sender: a2apush.Sender{HTTP: &safehttp.Client{Loopback: true}, Now: time.Now, SkipValidation: true}}
}

func (w *webhooks) set(c *a2a.PushConfig) *a2a.PushConfig {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := *c
	if one.ID == "" {
		one.ID = uuid.NewString()
	}
	if i := slices.IndexFunc(w.kept, func(c *a2a.PushConfig) bool { return c.TaskID == one.TaskID && c.ID == one.ID }); i >= 0 {
		w.kept[i] = &one
		return &one
	}
	if len(w.kept) == maxConfigs {
		w.kept = slices.Delete(w.kept, 0, 1)
	}
	w.kept = append(w.kept, &one)
	return &one
}

func (w *webhooks) of(task a2a.TaskID) []*a2a.PushConfig {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []*a2a.PushConfig
	for _, c := range w.kept {
		if c.TaskID == task {
			all = append(all, c)
		}
	}
	return all
}

func (w *webhooks) drop(task a2a.TaskID, id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept = slices.DeleteFunc(w.kept, func(c *a2a.PushConfig) bool { return c.TaskID == task && c.ID == id })
}

// notify sends t to its webhooks, once. It goes on when ctx ends: a canceled task is notified, too.
func (w *webhooks) notify(ctx context.Context, t *a2a.Task) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), notifyTime)
	defer cancel()
	for _, c := range w.of(t.ID) {
		if err := w.sender.Deliver(ctx, c, t, uuid.NewString()); err != nil {
			log.Printf("notifying %s: %v", c.URL, err)
		}
	}
}

var _ a2a.Pusher = kit{}

// SetPush adds a webhook (a2a.Pusher).
func (k kit) SetPush(ctx context.Context, c *a2a.PushConfig) (*a2a.PushConfig, error) {
	if _, err := k.Task(ctx, a2a.TaskQuery{ID: c.TaskID}); err != nil {
		return nil, err
	}
	if err := k.hooks.sender.Accept(ctx, c); err != nil {
		return nil, err
	}
	return k.hooks.set(c), nil
}

// Push returns a webhook (a2a.Pusher).
func (k kit) Push(ctx context.Context, task a2a.TaskID, id string) (*a2a.PushConfig, error) {
	all, err := k.Pushes(ctx, task)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(c *a2a.PushConfig) bool { return id == "" || c.ID == id })
	if i < 0 {
		return nil, a2a.Errorf(a2a.TaskNotFound, "there is no such config")
	}
	return all[i], nil
}

// Pushes lists the webhooks of a task (a2a.Pusher).
func (k kit) Pushes(ctx context.Context, task a2a.TaskID) ([]*a2a.PushConfig, error) {
	if _, err := k.Task(ctx, a2a.TaskQuery{ID: task}); err != nil {
		return nil, err
	}
	return k.hooks.of(task), nil
}

// DropPush removes a webhook (a2a.Pusher).
func (k kit) DropPush(ctx context.Context, task a2a.TaskID, id string) error {
	if _, err := k.Task(ctx, a2a.TaskQuery{ID: task}); err != nil {
		return err
	}
	k.hooks.drop(task, id)
	return nil
}
