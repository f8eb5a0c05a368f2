package peers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"

	old "github.com/a2aproject/a2a-go/a2a"
	oldclient "github.com/a2aproject/a2a-go/a2aclient"
	"github.com/a2aproject/a2a-go/a2aclient/agentcard"

	"rialto/a2a/a2atest/tour"
)

// Dial03 returns the client of a2a-go 0.3.15 of the agent at url, by its card.
func Dial03(ctx context.Context, url, _ string, web *http.Client) (tour.Client, error) {
	card, err := agentcard.NewResolver(web).Resolve(ctx, url)
	if err != nil {
		return nil, err
	}
	c, err := oldclient.NewFromCard(ctx, card, oldclient.WithJSONRPCTransport(web))
	return caller03{c}, err
}

// caller03 goes on the tour.
type caller03 struct{ *oldclient.Client }

var (
	_ tour.Resubscriber = caller03{}
	_ tour.HookLister   = caller03{}
)

func params03(m tour.Message) *old.MessageSendParams {
	wait := true
	p := &old.MessageSendParams{Message: old.NewMessage(old.MessageRoleUser, old.TextPart{Text: m.Text}), Config: &old.MessageSendConfig{Blocking: &wait}}
	p.Message.TaskID, p.Message.ContextID = old.TaskID(m.Continues.ID), m.Continues.Context
	if m.Hook.URL != "" {
		p.Config.PushConfig = &old.PushConfig{URL: m.Hook.URL, Token: m.Hook.Token}
	}
	return p
}

// seen03 tells what an event says; one that is nil says nothing.
func seen03(e old.Event) tour.Seen {
	text := func(parts old.ContentParts) (all string) {
		for _, p := range parts {
			if t, ok := p.(old.TextPart); ok {
				all += t.Text
			}
		}
		return all
	}
	switch e := e.(type) {
	case *old.Task:
		s := tour.Seen{ID: string(e.ID), Context: e.ContextID, State: string(e.Status.State)}
		for _, a := range e.Artifacts {
			s.Text += text(a.Parts)
		}
		return s
	case *old.TaskStatusUpdateEvent:
		return tour.Seen{ID: string(e.TaskID), State: string(e.Status.State)}
	case *old.TaskArtifactUpdateEvent:
		return tour.Seen{ID: string(e.TaskID), Text: text(e.Artifact.Parts)}
	}
	return tour.Seen{}
}

func told03(events iter.Seq2[old.Event, error]) iter.Seq2[tour.Seen, error] {
	return func(yield func(tour.Seen, error) bool) {
		for e, err := range events {
			if !yield(seen03(e), err) {
				return
			}
		}
	}
}

func (c caller03) Send(ctx context.Context, m tour.Message) (tour.Seen, error) {
	r, err := c.SendMessage(ctx, params03(m))
	if err != nil {
		return tour.Seen{}, err
	}
	task, ok := r.(*old.Task)
	if !ok {
		return tour.Seen{}, fmt.Errorf("got %T, want a task", r)
	}
	return seen03(task), nil
}

func (c caller03) Stream(ctx context.Context, m tour.Message) iter.Seq2[tour.Seen, error] {
	return told03(c.SendStreamingMessage(ctx, params03(m)))
}

func (c caller03) Resubscribe(ctx context.Context, id string) iter.Seq2[tour.Seen, error] {
	return told03(c.ResubscribeToTask(ctx, &old.TaskIDParams{ID: old.TaskID(id)}))
}

func (c caller03) Task(ctx context.Context, id string) (tour.Seen, error) {
	task, err := c.GetTask(ctx, &old.TaskQueryParams{ID: old.TaskID(id)})
	if err != nil {
		return tour.Seen{}, err
	}
	return seen03(task), nil
}

func (c caller03) Cancel(ctx context.Context, id string) (tour.Seen, error) {
	task, err := c.CancelTask(ctx, &old.TaskIDParams{ID: old.TaskID(id)})
	if err != nil {
		return tour.Seen{}, err
	}
	return seen03(task), nil
}

func (c caller03) SetHook(ctx context.Context, task string, h tour.Hook) (tour.Hook, error) {
	return hook03(c.SetTaskPushConfig(ctx, &old.TaskPushConfig{TaskID: old.TaskID(task), Config: old.PushConfig{ID: h.ID, URL: h.URL, Token: h.Token}}))
}

func (c caller03) Hook(ctx context.Context, task, id string) (tour.Hook, error) {
	return hook03(c.GetTaskPushConfig(ctx, &old.GetTaskPushConfigParams{TaskID: old.TaskID(task), ConfigID: id}))
}

func (c caller03) Hooks(ctx context.Context, task string) (all []tour.Hook, err error) {
	list, err := c.ListTaskPushConfig(ctx, &old.ListTaskPushConfigParams{TaskID: old.TaskID(task)})
	for _, one := range list {
		h, _ := hook03(one, nil)
		all = append(all, h)
	}
	return all, err
}

func (c caller03) DropHook(ctx context.Context, task, id string) error {
	return c.DeleteTaskPushConfig(ctx, &old.DeleteTaskPushConfigParams{TaskID: old.TaskID(task), ConfigID: id})
}

func hook03(c *old.TaskPushConfig, err error) (tour.Hook, error) {
	if err != nil {
		return tour.Hook{}, err
	}
	return tour.Hook{ID: c.Config.ID, URL: c.Config.URL, Token: c.Config.Token}, nil
}

func (caller03) Notified(body []byte) (tour.Seen, error) {
	var task old.Task
	err := json.Unmarshal(body, &task)
	return seen03(&task), err
}

func (caller03) NotFound(err error) bool { return errors.Is(err, old.ErrTaskNotFound) }

func (caller03) NotCancelable(err error) bool { return errors.Is(err, old.ErrTaskNotCancelable) }
