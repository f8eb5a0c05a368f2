// Package push delivers notifications about tasks to webhooks. The store adds a notice
// to the outbox in the transaction that writes a task, so that neither can exist
// without the other. Notices are delivered at least once, and in order for each
// webhook, by any replica; tasks do not wait for them.
//
// It does not know how a notification looks on the wire, and which webhooks may be
// called: see package a2a/a2apush.
package push

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/bridge/runner"
	"rialto/internal/sealed"
)

// ErrTooMany says that a task has maxHooks webhooks.
var ErrTooMany = errors.New("the task has too many webhooks")

// maxHooks is how many webhooks a task may have.
const maxHooks = 10

// Sender calls webhooks.
type Sender interface {
	// Accept returns an a2a.InvalidParams for a webhook that may not be called.
	Accept(context.Context, *a2a.PushConfig) error

	// Deliver sends a task to a webhook. id is the same in all attempts of a notice.
	// An a2a.InvalidParams says that no attempt can succeed.
	Deliver(ctx context.Context, c *a2a.PushConfig, t *a2a.Task, id string) error
}

// Service stores webhooks and notifies them of tasks. All fields but Metrics are required.
type Service struct {
	Outbox  Outbox
	Sender  Sender
	Key     []byte // 32 bytes that encrypt the configs
	Replica string
	Now     func() time.Time
	Log     *slog.Logger

	Metrics Metrics // nil counts nothing
}

var _ runner.Webhooks = (*Service)(nil)

// Accept implements runner.Webhooks.
func (s *Service) Accept(ctx context.Context, c *a2a.PushConfig) error {
	if len(c.ID) > 200 {
		return a2a.Errorf(
			a2a.InvalidParams, "the id of a push notification config has at most 200 characters",
		)
	}
	return s.Sender.Accept(ctx, c)
}

// Add implements runner.Webhooks.
func (s *Service) Add(
	ctx context.Context, owner string, c *a2a.PushConfig,
) (*a2a.PushConfig, error) {
	kept := *c
	if kept.ID == "" {
		kept.ID = uuid.NewString()
	}

	u, err := url.Parse(c.URL)
	if err != nil {
		return nil, a2a.Errorf(a2a.InvalidParams, "the webhook's URL is not valid")
	}

	sealed, err := s.seal(&kept)
	if err != nil {
		return nil, err
	}

	h := Webhook{
		Handle:  string(c.TaskID),
		ID:      kept.ID,
		Host:    u.Host,
		Sealed:  sealed,
		Created: s.Now(),
	}
	err = s.Outbox.AddHook(ctx, owner, h, maxHooks)
	if errors.Is(err, ErrTooMany) {
		return nil, a2a.Errorf(
			a2a.InvalidParams,
			"the task has %d push notification configs already; delete one first",
			maxHooks,
		)
	}

	return &kept, err
}

// List implements runner.Webhooks.
func (s *Service) List(ctx context.Context, owner, handle string) ([]*a2a.PushConfig, error) {
	hooks, err := s.Outbox.Hooks(ctx, owner, handle)
	if err != nil {
		return nil, err
	}

	var all []*a2a.PushConfig
	for _, h := range hooks {
		c, err := s.open(h.Handle, h.ID, h.Sealed)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}

	return all, nil
}

// Drop implements runner.Webhooks.
func (s *Service) Drop(ctx context.Context, owner, handle, id string) error {
	return s.Outbox.DropHook(ctx, owner, handle, id)
}

// seal encrypts a config for its place, so that who can write to the database cannot
// send the secrets of one webhook to another.
func (s *Service) seal(c *a2a.PushConfig) (string, error) {
	return sealed.SealJSON(s.Key, place(string(c.TaskID), c.ID), c)
}

func (s *Service) open(handle, id, text string) (*a2a.PushConfig, error) {
	var c a2a.PushConfig
	if err := sealed.OpenJSON(s.Key, place(handle, id), text, &c); err != nil {
		return nil, fmt.Errorf(
			"opening webhook %s of task %s: is it the right secret? %w",
			id,
			handle,
			err,
		)
	}

	return &c, nil
}

func place(handle, id string) string { return "webhooks|config|" + handle + "|" + id }
