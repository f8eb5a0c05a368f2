package v01

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"trpc.group/trpc-go/trpc-a2a-go/client"
	theirs "trpc.group/trpc-go/trpc-a2a-go/protocol"

	"rialto/a2a/a2atest/tour"
)

// Dial returns trpc-a2a-go's client of the agent at url.
func Dial(_ context.Context, url, _ string, web *http.Client) (tour.Client, error) {
	c, err := client.NewA2AClient(url, client.WithHTTPClient(web))
	return caller{c, &atomic.Int64{}}, err
}

// caller goes on the tour.
type caller struct {
	*client.A2AClient
	tasks *atomic.Int64 // that it has begun: in 0.1 it makes up their names
}

var _ tour.Client = caller{}

func (c caller) params(m tour.Message) theirs.SendTaskParams {
	p := theirs.SendTaskParams{ID: m.Continues.ID, Message: theirs.NewMessage(theirs.MessageRoleUser, []theirs.Part{theirs.NewTextPart(m.Text)})}
	if p.ID == "" {
		p.ID = "task-" + strconv.FormatInt(time.Now().UnixNano(), 36) + "-" + strconv.FormatInt(c.tasks.Add(1), 10)
	}
	if m.Hook.URL != "" {
		p.PushNotification = &theirs.PushNotificationConfig{URL: m.Hook.URL, Token: m.Hook.Token}
	}
	return p
}

func seen(t *theirs.Task) tour.Seen {
	s := tour.Seen{ID: t.ID, State: string(t.Status.State)}
	for _, a := range t.Artifacts {
		s.Text += textOf(a.Parts)
	}
	return s
}

func (c caller) Send(ctx context.Context, m tour.Message) (tour.Seen, error) {
	task, err := c.SendTasks(ctx, c.params(m))
	if err != nil {
		return tour.Seen{}, err
	}
	return seen(task), nil
}

func (c caller) Stream(ctx context.Context, m tour.Message) iter.Seq2[tour.Seen, error] {
	return func(yield func(tour.Seen, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		events, err := c.StreamTask(ctx, c.params(m))
		if err != nil {
			yield(tour.Seen{}, err)
			return
		}
		for e := range events {
			var s tour.Seen
			switch e := e.(type) {
			case theirs.TaskStatusUpdateEvent:
				s = tour.Seen{ID: e.ID, State: string(e.Status.State)}
			case theirs.TaskArtifactUpdateEvent:
				s = tour.Seen{ID: e.ID, Text: textOf(e.Artifact.Parts)}
			}
			if !yield(s, nil) {
				return
			}
		}
	}
}

func (c caller) Task(ctx context.Context, id string) (tour.Seen, error) {
	task, err := c.GetTasks(ctx, theirs.TaskQueryParams{ID: id})
	if err != nil {
		return tour.Seen{}, err
	}
	return seen(task), nil
}

func (c caller) Cancel(ctx context.Context, id string) (tour.Seen, error) {
	task, err := c.CancelTasks(ctx, theirs.TaskIDParams{ID: id})
	if err != nil {
		return tour.Seen{}, err
	}
	return seen(task), nil
}

func (c caller) SetHook(ctx context.Context, task string, h tour.Hook) (tour.Hook, error) {
	return hook(c.SetPushNotification(ctx, theirs.TaskPushNotificationConfig{ID: task, PushNotificationConfig: theirs.PushNotificationConfig{URL: h.URL, Token: h.Token}}))
}

func (c caller) Hook(ctx context.Context, task, _ string) (tour.Hook, error) {
	return hook(c.GetPushNotification(ctx, theirs.TaskIDParams{ID: task}))
}

func hook(c *theirs.TaskPushNotificationConfig, err error) (tour.Hook, error) {
	if err != nil {
		return tour.Hook{}, err
	}
	return tour.Hook{URL: c.PushNotificationConfig.URL, Token: c.PushNotificationConfig.Token}, nil
}

func (caller) Notified(body []byte) (tour.Seen, error) {
	var task theirs.Task
	if err := json.Unmarshal(body, &task); err != nil {
		return tour.Seen{}, err
	}
	return seen(&task), nil
}

func (caller) NotFound(err error) bool { return err != nil && strings.Contains(err.Error(), "-32001") }

func (caller) NotCancelable(err error) bool {
	return err != nil && strings.Contains(err.Error(), "-32002")
}
