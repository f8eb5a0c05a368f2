package peers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"

	theirs "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	grpc10 "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"rialto/a2a/a2atest/tour"
)

// plain is gRPC without TLS.
var plain = grpc.WithTransportCredentials(insecure.NewCredentials())

// Dial10 returns what dials the agent at a URL with the client of a2a-go 2.4.0,
// by its card and over the binding that is preferred.
func Dial10(preferred string) func(ctx context.Context, url, token string, web *http.Client) (tour.Client, error) {
	return func(ctx context.Context, url, token string, web *http.Client) (tour.Client, error) {
		card, err := agentcard.NewResolver(web).Resolve(ctx, url)
		if err != nil {
			return nil, err
		}
		c, err := a2aclient.NewFromCard(ctx, card, a2aclient.WithJSONRPCTransport(web), a2aclient.WithRESTTransport(web),
			grpc10.WithGRPCTransport(plain, grpc.WithPerRPCCredentials(bearer(token))),
			a2aclient.WithConfig(a2aclient.Config{PreferredTransports: []theirs.TransportProtocol{theirs.TransportProtocol(preferred)}}))
		return caller10{c}, err
	}
}

// bearer is a token that goes with each call.
type bearer string

func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}

func (bearer) RequireTransportSecurity() bool { return false }

// caller10 goes on the tour.
type caller10 struct{ *a2aclient.Client }

var (
	_ tour.Resubscriber = caller10{}
	_ tour.HookLister   = caller10{}
)

func params10(m tour.Message) *theirs.SendMessageRequest {
	p := &theirs.SendMessageRequest{Message: theirs.NewMessage(theirs.MessageRoleUser, theirs.NewTextPart(m.Text))}
	p.Message.TaskID, p.Message.ContextID = theirs.TaskID(m.Continues.ID), m.Continues.Context
	if m.Hook.URL != "" {
		p.Config = &theirs.SendMessageConfig{PushConfig: &theirs.PushConfig{URL: m.Hook.URL, Token: m.Hook.Token}}
	}
	return p
}

func state10(s theirs.TaskStatus) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(string(s.State), "TASK_STATE_")), "_", "-")
}

// seen10 tells what an event says; one that is nil says nothing.
func seen10(e theirs.Event) tour.Seen {
	text := func(parts theirs.ContentParts) (all string) {
		for _, p := range parts {
			all += p.Text()
		}
		return all
	}
	switch e := e.(type) {
	case *theirs.Task:
		s := tour.Seen{ID: string(e.ID), Context: e.ContextID, State: state10(e.Status)}
		for _, a := range e.Artifacts {
			s.Text += text(a.Parts)
		}
		return s
	case *theirs.TaskStatusUpdateEvent:
		return tour.Seen{ID: string(e.TaskID), State: state10(e.Status)}
	case *theirs.TaskArtifactUpdateEvent:
		return tour.Seen{ID: string(e.TaskID), Text: text(e.Artifact.Parts)}
	}
	return tour.Seen{}
}

func told10(events iter.Seq2[theirs.Event, error]) iter.Seq2[tour.Seen, error] {
	return func(yield func(tour.Seen, error) bool) {
		for e, err := range events {
			if !yield(seen10(e), err) {
				return
			}
		}
	}
}

func (c caller10) Send(ctx context.Context, m tour.Message) (tour.Seen, error) {
	r, err := c.SendMessage(ctx, params10(m))
	if err != nil {
		return tour.Seen{}, err
	}
	task, ok := r.(*theirs.Task)
	if !ok {
		return tour.Seen{}, fmt.Errorf("got %T, want a task", r)
	}
	return seen10(task), nil
}

func (c caller10) Stream(ctx context.Context, m tour.Message) iter.Seq2[tour.Seen, error] {
	return told10(c.SendStreamingMessage(ctx, params10(m)))
}

func (c caller10) Resubscribe(ctx context.Context, id string) iter.Seq2[tour.Seen, error] {
	return told10(c.SubscribeToTask(ctx, &theirs.SubscribeToTaskRequest{ID: theirs.TaskID(id)}))
}

func (c caller10) Task(ctx context.Context, id string) (tour.Seen, error) {
	task, err := c.GetTask(ctx, &theirs.GetTaskRequest{ID: theirs.TaskID(id)})
	if err != nil {
		return tour.Seen{}, err
	}
	return seen10(task), nil
}

func (c caller10) Cancel(ctx context.Context, id string) (tour.Seen, error) {
	task, err := c.CancelTask(ctx, &theirs.CancelTaskRequest{ID: theirs.TaskID(id)})
	if err != nil {
		return tour.Seen{}, err
	}
	return seen10(task), nil
}

func (c caller10) SetHook(ctx context.Context, task string, h tour.Hook) (tour.Hook, error) {
	return hook10(c.CreateTaskPushConfig(ctx, &theirs.PushConfig{TaskID: theirs.TaskID(task), ID: h.ID, URL: h.URL, Token: h.Token}))
}

func (c caller10) Hook(ctx context.Context, task, id string) (tour.Hook, error) {
	return hook10(c.GetTaskPushConfig(ctx, &theirs.GetTaskPushConfigRequest{TaskID: theirs.TaskID(task), ID: id}))
}

func (c caller10) Hooks(ctx context.Context, task string) (all []tour.Hook, err error) {
	list, err := c.ListTaskPushConfigs(ctx, &theirs.ListTaskPushConfigRequest{TaskID: theirs.TaskID(task)})
	for _, one := range list {
		h, _ := hook10(one, nil)
		all = append(all, h)
	}
	return all, err
}

func (c caller10) DropHook(ctx context.Context, task, id string) error {
	return c.DeleteTaskPushConfig(ctx, &theirs.DeleteTaskPushConfigRequest{TaskID: theirs.TaskID(task), ID: id})
}

func hook10(c *theirs.PushConfig, err error) (tour.Hook, error) {
	if err != nil {
		return tour.Hook{}, err
	}
	return tour.Hook{ID: c.ID, URL: c.URL, Token: c.Token}, nil
}

func (caller10) Notified(body []byte) (tour.Seen, error) {
	var r theirs.StreamResponse
	err := json.Unmarshal(body, &r)
	return seen10(r.Event), err
}

func (caller10) NotFound(err error) bool { return errors.Is(err, theirs.ErrTaskNotFound) }

func (caller10) NotCancelable(err error) bool { return errors.Is(err, theirs.ErrTaskNotCancelable) }
