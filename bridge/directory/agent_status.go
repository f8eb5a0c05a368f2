package directory

import (
	"context"
	"time"

	"rialto/internal/uptime"
)

// AgentStatus is an agent of the list as an operator sees it.
type AgentStatus struct {
	AgentConfig           // without its secret
	Configured  bool      `json:"configured"` // it is of the configuration, and cannot be changed here
	Enabled     bool      `json:"enabled"`
	HasSecret   bool      `json:"has_secret"` // of an agent that was added
	Waiting     bool      `json:"waiting"`    // its card has changed, and waits to be accepted
	Version     int64     `json:"version"`    // for Change
	Created     time.Time `json:"created,omitzero"`
	Changed     time.Time `json:"changed,omitzero"`

	// History is how its probes ended in the last week; nil in a list.
	History *uptime.History `json:"history,omitempty"`

	// Health is how this process has met the agent; nil in a process that meets none.
	Health *Health `json:"-"`
}

// List returns the agents: first those of the configuration.
func (r *Registry) List(ctx context.Context) ([]AgentStatus, error) {
	all, _, err := r.read(ctx, r.ofConfiguration())
	if err != nil {
		return nil, err
	}

	list := []AgentStatus{}
	for _, e := range all {
		if e.removed() {
			continue
		}
		s, err := r.status(ctx, e)
		if err != nil {
			return nil, err
		}
		list = append(list, *s)
	}

	return list, nil
}

// Agent returns the agent with a name, or ErrNoAgent.
func (r *Registry) Agent(ctx context.Context, name string) (*AgentStatus, error) {
	e, err := r.find(ctx, name)
	if err != nil {
		return nil, err
	}
	s, err := r.status(ctx, e)
	if err != nil {
		return nil, err
	}
	s.History, err = r.Probes.History(ctx, name, e.URL, r.Now())
	return s, err
}

func (r *Registry) status(ctx context.Context, e *listed) (*AgentStatus, error) {
	s := &AgentStatus{
		AgentConfig: e.AgentConfig,
		Configured:  e.configured,
		Enabled:     !e.Disabled,
		HasSecret:   e.Credentials.Secret != "",
	}
	s.Credentials.Secret = ""
	if e.record != nil {
		s.Version = e.record.Version
		s.Created = e.record.Created
		s.Changed = e.record.Changed
	}
	if e.Review {
		cards, err := r.Cards.SeenCards(ctx, e.Name)
		if err != nil {
			return nil, err
		}
		valid, known := InForce(cards)
		s.Waiting = known && cards[0].Digest != valid.Digest
	}
	if r.Directory != nil {
		if h, ok := r.Directory.Health(e.Name); ok {
			s.Health = &h
		}
	}

	return s, nil
}
