// Package push tells webhooks what becomes of tasks. What is due is in the
// outbox: rows that the ledger's own write puts there, so that no change is
// told which is not written, and none is written which is not told. They are
// worked off here, at least once each and in order for each webhook, by
// whichever replica has time, and never while a task waits.
//
// How a notification looks on the wire, and which webhooks may be called, is
// known to package a2a/a2apush.
package push

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/bridge"
	"rialto/internal/sealed"
)

// ErrTooMany says that a task has as many webhooks as one may.
var ErrTooMany = errors.New("the task has too many webhooks")

// maxHooks is how many webhooks a task may have.
const maxHooks = 10

// Sender tells webhooks, each once.
type Sender interface {
	// Accept reports as a2a.InvalidParams why a webhook may not be called.
	Accept(context.Context, *a2a.PushConfig) error

	// Deliver tells a webhook of a task. id is the same for a notice that is
	// told again. An a2a.InvalidParams says that it never can be told.
	Deliver(ctx context.Context, c *a2a.PushConfig, t *a2a.Task, id string) error
}

// Desk takes webhooks and tells them of tasks. All fields are required.
type Desk struct {
	Outbox  Outbox
	Sender  Sender
	Key     []byte // 32 bytes that seal what webhooks want to see
	Replica string
	Now     func() time.Time
	Log     *slog.Logger

	room room
}

var _ bridge.Webhooks = (*Desk)(nil)

// Accept implements bridge.Webhooks.
func (d *Desk) Accept(ctx context.Context, c *a2a.PushConfig) error {
	if len(c.ID) > 200 {
		return a2a.Errorf(a2a.InvalidParams, "the id of a push notification config has at most 200 characters")
	}
	return d.Sender.Accept(ctx, c)
}

// Add implements bridge.Webhooks.
func (d *Desk) Add(ctx context.Context, owner string, c *a2a.PushConfig) (*a2a.PushConfig, error) {
	kept := *c
	if kept.ID == "" {
		kept.ID = uuid.NewString()
	}
	u, err := url.Parse(c.URL)
	if err != nil {
		return nil, a2a.Errorf(a2a.InvalidParams, "the webhook's address is none")
	}
	sealed, err := d.seal(&kept)
	if err != nil {
		return nil, err
	}
	h := Hook{Handle: string(c.TaskID), ID: kept.ID, Host: u.Host, Sealed: sealed, Created: d.Now()}
	err = d.Outbox.AddHook(ctx, owner, h, maxHooks)
	if errors.Is(err, ErrTooMany) {
		return nil, a2a.Errorf(a2a.InvalidParams, "the task has %d push notification configs already; delete one first", maxHooks)
	}
	return &kept, err
}

// List implements bridge.Webhooks.
func (d *Desk) List(ctx context.Context, owner, handle string) ([]*a2a.PushConfig, error) {
	hooks, err := d.Outbox.Hooks(ctx, owner, handle)
	if err != nil {
		return nil, err
	}
	var all []*a2a.PushConfig
	for _, h := range hooks {
		c, err := d.open(h.Handle, h.ID, h.Sealed)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// Drop implements bridge.Webhooks.
func (d *Desk) Drop(ctx context.Context, owner, handle, id string) error {
	return d.Outbox.DropHook(ctx, owner, handle, id)
}

// seal encrypts a config, for its place only: somebody who can write to the
// database cannot have one webhook told with the secrets of another.
func (d *Desk) seal(c *a2a.PushConfig) (string, error) {
	plain, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	return sealed.Seal(d.Key, place(string(c.TaskID), c.ID), plain)
}

func (d *Desk) open(handle, id, text string) (*a2a.PushConfig, error) {
	plain, err := sealed.Open(d.Key, place(handle, id), text)
	if err != nil {
		return nil, fmt.Errorf("opening webhook %s of task %s: is it the right secret? %w", id, handle, err)
	}
	var c a2a.PushConfig
	return &c, json.Unmarshal(plain, &c)
}

func place(handle, id string) string { return "webhooks|config|" + handle + "|" + id }
