package a2atest

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"

	"rialto/a2a"
)

// Later is an Agent of a generation to come: each object that it says has a member
// that no generation of ours knows, and tasks and updates have a generation that
// goes on, as in drafts of A2A 1.1. Its card says that it has more to tell than 1.0.
type Later struct {
	*Agent
	said atomic.Int64
}

// NewLater returns a Later. Close it.
func NewLater() *Later { return &Later{Agent: NewAgent()} }

// Card returns a card for the agent, without interfaces.
func (l *Later) Card() *a2a.Card {
	c := l.Agent.Card()
	c.Capabilities.Extensions = []a2a.Extension{{URI: a2a.OtherMembers}}
	return c
}

// Send delivers a message (a2a.Agent).
func (l *Later) Send(ctx context.Context, req *a2a.SendRequest) (a2a.Event, error) {
	e, err := l.Agent.Send(ctx, req)
	return l.more(e), err
}

// Stream delivers a message and follows it (a2a.Agent).
func (l *Later) Stream(ctx context.Context, req *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
	return l.each(l.Agent.Stream(ctx, req))
}

// Task returns a task (a2a.Agent).
func (l *Later) Task(ctx context.Context, q a2a.TaskQuery) (*a2a.Task, error) {
	return l.task(l.Agent.Task(ctx, q))
}

// Cancel stops a task (a2a.Agent).
func (l *Later) Cancel(ctx context.Context, id a2a.TaskID) (*a2a.Task, error) {
	return l.task(l.Agent.Cancel(ctx, id))
}

// Subscribe follows a task (a2a.Agent).
func (l *Later) Subscribe(ctx context.Context, id a2a.TaskID) iter.Seq2[a2a.Event, error] {
	return l.each(l.Agent.Subscribe(ctx, id))
}

func (l *Later) each(events iter.Seq2[a2a.Event, error]) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		for e, err := range events {
			if !yield(l.more(e), err) {
				return
			}
		}
	}
}

func (l *Later) task(t *a2a.Task, err error) (*a2a.Task, error) {
	if err != nil {
		return nil, err
	}
	return l.more(t).(*a2a.Task), nil
}

// LaterMember is what each object has that a Later says, besides a generation.
const LaterMember = "laterAgentsSay"

var (
	laterValue  = json.RawMessage(`{"a":["member",{"of":"a later generation"}],"n":9007199254740993}`)
	laterMember = a2a.Members{LaterMember: laterValue}
)

// more returns e with members in each of its objects.
func (l *Later) more(e a2a.Event) a2a.Event {
	generation := json.RawMessage(fmt.Sprintf("%q", fmt.Sprint(l.said.Add(1))))
	whole := a2a.Members{LaterMember: laterValue, "generation": generation}
	switch e := e.(type) {
	case *a2a.Message:
		m := laterMessage(*e)
		return &m
	case *a2a.Task:
		t := e.Clone()
		t.Others, t.Status = whole, laterStatus(t.Status)
		for i := range t.Artifacts {
			t.Artifacts[i].Others = laterMember
		}
		for i := range t.History {
			t.History[i] = laterMessage(t.History[i])
		}
		return t
	case *a2a.StatusUpdate:
		u := *e
		u.Others, u.Status = whole, laterStatus(u.Status)
		return &u
	case *a2a.ArtifactUpdate:
		u := *e
		u.Others, u.Artifact.Others = whole, laterMember
		u.Artifact.Parts = slices.Clone(u.Artifact.Parts)
		return &u
	default:
		return e
	}
}

// laterMessage adds to what the message has.
func laterMessage(m a2a.Message) a2a.Message {
	m.Others = m.Others.Join(laterMember)
	return m
}

func laterStatus(s a2a.Status) a2a.Status {
	s.Others = laterMember
	if s.Message != nil {
		m := laterMessage(*s.Message)
		s.Message = &m
	}
	return s
}
