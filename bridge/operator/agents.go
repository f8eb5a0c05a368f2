package operator

import (
	"context"
	"strings"

	"rialto/bridge"
	"rialto/bridge/registry"
	"rialto/internal/audit"
)

// AddAgent adds an agent while the server runs. It fails as
// registry.Registry.Add does.
func (s *Service) AddAgent(ctx context.Context, by Actor, a registry.Agent) error {
	return s.recorded(ctx, by, audit.AgentAdded, a.Name, a.URL, s.Agents.Add(ctx, a))
}

// ChangeAgent changes an agent that was added. It fails as
// registry.Registry.Change does.
func (s *Service) ChangeAgent(ctx context.Context, by Actor, a registry.Agent, version int64, keepSecret bool) error {
	return s.recorded(ctx, by, audit.AgentChanged, a.Name, a.URL, s.Agents.Change(ctx, a, version, keepSecret))
}

// RemoveAgent forgets an agent that was added. It fails as
// registry.Registry.Remove does.
func (s *Service) RemoveAgent(ctx context.Context, by Actor, name string) error {
	return s.recorded(ctx, by, audit.AgentRemoved, name, "", s.Agents.Remove(ctx, name))
}

// EnableAgent lets an agent take tasks again, and tells whether that is new.
func (s *Service) EnableAgent(ctx context.Context, by Actor, name string) (bool, error) {
	changed, err := s.Agents.Enable(ctx, name)
	if changed || err != nil {
		s.record(ctx, by, audit.AgentEnabled, name, "", err)
	}
	return changed, err
}

// DisableAgent keeps an agent from taking new tasks, and tells whether that is
// new.
func (s *Service) DisableAgent(ctx context.Context, by Actor, name string) (bool, error) {
	changed, err := s.Agents.Disable(ctx, name)
	if changed || err != nil {
		s.record(ctx, by, audit.AgentDisabled, name, "", err)
	}
	return changed, err
}

// Cards returns the cards that an agent has shown, the latest first.
func (s *Service) Cards(ctx context.Context, agent string) ([]bridge.SeenCard, error) {
	return s.Agents.Cards.SeenCards(ctx, agent)
}

// AcceptCard puts the card that an agent has shown last in force, whose digest
// begins so; "" is whichever it is. It returns the digest, and fails with
// bridge.ErrNoCard if none waits, or with bridge.ErrOtherCard if another does.
func (s *Service) AcceptCard(ctx context.Context, by Actor, agent, digest string) (string, error) {
	cards, err := s.Cards(ctx, agent)
	if err != nil {
		return "", err
	}
	if len(cards) > 0 && strings.HasPrefix(cards[0].Digest, digest) {
		digest = cards[0].Digest
	}
	return digest, s.recorded(ctx, by, audit.CardAccepted, agent, bridge.Shown(digest, 64), s.Agents.Accept(ctx, agent, digest))
}
