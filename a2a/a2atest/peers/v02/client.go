package v02

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"strings"

	"trpc.group/trpc-go/trpc-a2a-go/client"
	theirs "trpc.group/trpc-go/trpc-a2a-go/protocol"

	"rialto/a2a/a2atest/tour"
)

// Dial returns trpc-a2a-go's client of the agent at url.
func Dial(_ context.Context, url, _ string, web *http.Client) (tour.Client, error) {
	c, err := client.NewA2AClient(url, client.WithHTTPClient(web))
	return caller{c}, err
}

// caller goes on the tour.
type caller struct{ *client.A2AClient }

var _ tour.Resubscriber = caller{}

func (c caller) params(m tour.Message) theirs.SendMessageParams {
	wait := true
	p := theirs.SendMessageParams{RPCID: "1", Configuration: &theirs.SendMessageConfiguration{Blocking: &wait, AcceptedOutputModes: []string{"text/plain"}},
		Message: theirs.NewMessage(theirs.MessageRoleUser, []theirs.Part{theirs.NewTextPart(m.Text)})}
	if m.Continues.ID != "" {
		p.Message.TaskID, p.Message.ContextID = &m.Continues.ID, &m.Continues.Context
	}
	if m.Hook.URL != "" {
		p.Configuration.PushNotificationConfig = &theirs.PushNotificationConfig{URL: m.Hook.URL, Token: m.Hook.Token}
	}
	return p
}

func seen(t *theirs.Task) tour.Seen {
	s := tour.Seen{ID: t.ID, Context: t.ContextID, State: string(t.Status.State)}
	for _, a := range t.Artifacts {
		s.Text += textOf(a.Parts)
	}
	return s
}

func (c caller) Send(ctx context.Context, m tour.Message) (tour.Seen, error) {
	r, err := c.SendMessage(ctx, c.params(m))
	if err != nil {
		return tour.Seen{}, err
	}
	task, ok := r.Result.(*theirs.Task)
	if !ok {
		return tour.Seen{}, fmt.Errorf("got %T, want a task", r.Result)
	}
	return seen(task), nil
}

func (c caller) Stream(ctx context.Context, m tour.Message) iter.Seq2[tour.Seen, error] {
	return told(ctx, func(ctx context.Context) (<-chan theirs.StreamingMessageEvent, error) {
		return c.StreamMessage(ctx, c.params(m))
	})
}

func (c caller) Resubscribe(ctx context.Context, id string) iter.Seq2[tour.Seen, error] {
	return told(ctx, func(ctx context.Context) (<-chan theirs.StreamingMessageEvent, error) {
		return c.ResubscribeTask(ctx, theirs.TaskIDParams{ID: id, RPCID: "2"})
	})
}

// told yields what a stream tells.
func told(ctx context.Context, open func(context.Context) (<-chan theirs.StreamingMessageEvent, error)) iter.Seq2[tour.Seen, error] {
	return func(yield func(tour.Seen, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		events, err := open(ctx)
		if err != nil {
			yield(tour.Seen{}, err)
			return
		}
		for e := range events {
			var s tour.Seen
			switch e := e.Result.(type) {
			case *theirs.Task:
				s = seen(e)
			case *theirs.TaskStatusUpdateEvent:
				s = tour.Seen{ID: e.TaskID, State: string(e.Status.State)}
			case *theirs.TaskArtifactUpdateEvent:
				s = tour.Seen{ID: e.TaskID, Text: textOf(e.Artifact.Parts)}
			}
			if !yield(s, nil) {
				return
			}
		}
	}
}

func (c caller) Task(ctx context.Context, id string) (tour.Seen, error) {
	task, err := c.GetTasks(ctx, theirs.TaskQueryParams{ID: id, RPCID: "3"})
	if err != nil {
		return tour.Seen{}, err
	}
	return seen(task), nil
}

func (c caller) Cancel(ctx context.Context, id string) (tour.Seen, error) {
	task, err := c.CancelTasks(ctx, theirs.TaskIDParams{ID: id, RPCID: "4"})
	if err != nil {
		return tour.Seen{}, err
	}
	return seen(task), nil
}

func (c caller) SetHook(ctx context.Context, task string, h tour.Hook) (tour.Hook, error) {
	return hook(c.SetPushNotification(ctx, theirs.TaskPushNotificationConfig{RPCID: "5", TaskID: task, PushNotificationConfig: theirs.PushNotificationConfig{URL: h.URL, Token: h.Token}}))
}

func (c caller) Hook(ctx context.Context, task, _ string) (tour.Hook, error) {
	return hook(c.GetPushNotification(ctx, theirs.TaskIDParams{ID: task, RPCID: "6"}))
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
