// Package tour is what a client that others wrote does with an agent that
// others wrote, the same for every SDK, and the command line of the two. What
// an agent does is what the first word of a message says: echo, ask, auth, files,
// which are handed back, hang, and wait, which goes on after a POST to /release.
//
// The peers of the JavaScript SDK do the same: cmd/rialto/internal/e2e/node/peers/tour.mjs.
package tour

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"time"
)

// Seen is what a client sees of a task, or of an event: of its members those that the event has.
type Seen struct {
	ID, Context string
	State       string // as A2A 0.3 spells them: "input-required"
	Text        string // of the artifacts
}

// Message is what a client is to send.
type Message struct {
	Text      string
	Continues Seen // the task that waits for it, if any
	Hook      Hook // to tell, if it has a URL
}

// Hook is a webhook. Some SDKs know of no id.
type Hook struct{ ID, URL, Token string }

// Client is that of an SDK.
type Client interface {
	Send(context.Context, Message) (Seen, error)
	Stream(context.Context, Message) iter.Seq2[Seen, error]
	Task(ctx context.Context, id string) (Seen, error)
	Cancel(ctx context.Context, id string) (Seen, error)

	// SetHook keeps a webhook of a task, and Hook asks for it. They return what the agent has kept.
	SetHook(ctx context.Context, task string, h Hook) (Hook, error)
	Hook(ctx context.Context, task, id string) (Hook, error)

	// Notified reads a notification.
	Notified(body []byte) (Seen, error)

	// NotFound and NotCancelable tell the errors apart.
	NotFound(error) bool
	NotCancelable(error) bool
}

// Resubscriber is a Client that can come back to a task.
type Resubscriber interface {
	Resubscribe(ctx context.Context, id string) iter.Seq2[Seen, error]
}

// HookLister is a Client that can list the webhooks of a task, and drop them.
type HookLister interface {
	Hooks(ctx context.Context, task string) ([]Hook, error)
	DropHook(ctx context.Context, task, id string) error
}

// tour is one client before one agent.
type tour struct {
	Client
	release string // the URL that lets what waits at the agent go on
}

// steps are named as the columns of docs/interop.md are.
func (t tour) steps() []step {
	list := []step{{"send", t.send}, {"stream", t.stream}, {"multi-turn", t.turns}, {"get", t.get}, {"cancel", t.cancel}}
	if _, ok := t.Client.(Resubscriber); ok {
		list = append(list, step{"resubscribe", t.resubscribe})
	}
	return append(list, step{"push", t.push}, step{"error", t.refusals})
}

type step struct {
	name string
	do   func(context.Context) error
}

func want(what string, got, want any) error {
	if got != want {
		return fmt.Errorf("%s: got %+v, want %+v", what, got, want)
	}
	return nil
}

// ended checks that a task has completed with what was echoed.
func ended(s Seen, err error, text string) error {
	if err != nil {
		return err
	}
	return errors.Join(want("state", s.State, "completed"), want("text", s.Text, text))
}

func (t tour) send(ctx context.Context) error {
	s, err := t.Send(ctx, Message{Text: "echo hello"})
	return ended(s, err, "hello")
}

func (t tour) stream(ctx context.Context) error {
	var whole Seen
	var working bool
	for s, err := range t.Stream(ctx, Message{Text: "echo hello"}) {
		if err != nil {
			return err
		}
		whole.Text += s.Text
		if s.State != "" {
			whole.State = s.State
		}
		working = working || s.State == "working"
	}
	return errors.Join(ended(whole, nil, "hello"), want("told that it works", working, true))
}

func (t tour) turns(ctx context.Context) error {
	asked, err := t.Send(ctx, Message{Text: "ask which?"})
	if err == nil {
		err = want("state", asked.State, "input-required")
	}
	if err != nil {
		return err
	}
	s, err := t.Send(ctx, Message{Text: "echo this", Continues: asked})
	return errors.Join(ended(s, err, "this"), want("task", s.ID, asked.ID))
}

func (t tour) get(ctx context.Context) error {
	sent, err := t.Send(ctx, Message{Text: "echo hello"})
	if err != nil {
		return err
	}
	s, err := t.Task(ctx, sent.ID)
	return errors.Join(ended(s, err, "hello"), want("task", s.ID, sent.ID))
}

// begin starts a task that stays at work and returns its id.
func (t tour) begin(ctx context.Context, text string) (string, error) {
	for s, err := range t.Stream(ctx, Message{Text: text}) {
		if err != nil || s.ID != "" {
			return s.ID, err
		}
	}
	return "", errors.New("the stream names no task")
}

func (t tour) cancel(ctx context.Context) error {
	id, err := t.begin(ctx, "hang")
	if err != nil {
		return err
	}
	s, err := t.Cancel(ctx, id)
	return errors.Join(err, want("state", s.State, "canceled"))
}

func (t tour) resubscribe(ctx context.Context) error {
	id, err := t.begin(ctx, "wait over")
	if err != nil {
		return err
	}
	last, released := Seen{}, false
	for s, err := range t.Client.(Resubscriber).Resubscribe(ctx, id) {
		if err != nil {
			return err
		}
		if !released {
			resp, err := http.Post(t.release, "", nil)
			if err != nil {
				return err
			}
			resp.Body.Close()
			released = true
		}
		if s.State != "" {
			last = s
		}
	}
	return want("last state", last.State, "completed")
}

// push sets a webhook and waits for the notification of the task's end.
func (t tour) push(ctx context.Context) error {
	asked, err := t.Send(ctx, Message{Text: "ask which?"})
	if err != nil {
		return err
	}
	return errors.Join(t.notified(ctx), Keep(ctx, t.Client, asked.ID))
}

// Keep has c set a webhook of a task, ask for it, and if it can list and drop it.
func Keep(ctx context.Context, c Client, task string) error {
	hook := Hook{ID: "mine", URL: "http://127.0.0.1:1/hook", Token: "secret"}
	set, err := c.SetHook(ctx, task, hook)
	if err != nil {
		return fmt.Errorf("set: %w", err)
	}
	got, err := c.Hook(ctx, task, hook.ID)
	lister, ok := c.(HookLister)
	if hook.ID = ""; ok { // otherwise it is one of the SDKs that have no ids
		hook.ID = "mine"
	}
	if err := errors.Join(err, want("set", set, hook), want("get", got, hook)); err != nil || !ok {
		return err
	}
	all, err := lister.Hooks(ctx, task)
	if err = errors.Join(err, want("listed", len(all), 1)); err != nil {
		return err
	}
	if err := errors.Join(want("listed", all[0], hook), lister.DropHook(ctx, task, hook.ID)); err != nil {
		return err
	}
	all, err = lister.Hooks(ctx, task)
	return errors.Join(err, want("left", len(all), 0))
}

func (t tour) notified(ctx context.Context) error {
	type notification struct {
		token string
		body  []byte
	}
	heard := make(chan notification, 16)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		heard <- notification{r.Header.Get("X-A2A-Notification-Token"), body}
	}))
	defer hook.Close()
	if _, err := t.Send(ctx, Message{Text: "echo hello", Hook: Hook{URL: hook.URL, Token: "secret"}}); err != nil {
		return err
	}
	for {
		select {
		case n := <-heard:
			s, err := t.Notified(n.body)
			if err == nil && s.State != "completed" {
				continue // of its beginning
			}
			return errors.Join(ended(s, err, "hello"), want("token", n.token, "secret"))
		case <-ctx.Done():
			return errors.New("no notification of the end came")
		}
	}
}

func (t tour) refusals(ctx context.Context) error {
	sent, err := t.Send(ctx, Message{Text: "echo hello"})
	if err != nil {
		return err
	}
	_, missing := t.Task(ctx, "there-is-none")
	_, late := t.Cancel(ctx, sent.ID)
	return errors.Join(want(fmt.Sprintf("not found, said as %v", missing), t.NotFound(missing), true),
		want(fmt.Sprintf("not cancelable, said as %v", late), t.NotCancelable(late), true))
}

// run runs all steps and writes a line for each that succeeds. It reports a failure and continues.
func (t tour) run(ctx context.Context, out, trouble io.Writer) {
	for _, s := range t.steps() {
		ctx, stop := context.WithTimeout(ctx, time.Minute)
		if err := s.do(ctx); err != nil {
			fmt.Fprintf(trouble, "%s: %v\n", s.name, err)
		} else {
			_ = json.NewEncoder(out).Encode(map[string]string{"step": s.name}) // to a pipe
		}
		stop()
	}
}
