package operator

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"strings"

	"rialto/bridge/directory"
	"rialto/bridge/sanitize"
	"rialto/internal/audit"
)

// NewAgent is an agent to be added. Without a name, it gets one made of the name on
// its card.
type NewAgent struct {
	directory.Settings
	Unseen bool   // add the agent even if its card cannot be read
	Digest string // of the card that the operator has seen; "" accepts any card
}

// CardError says that the card of an agent could not be read with its settings.
type CardError struct {
	URL string
	Err error
}

// Error returns the reason.
func (e *CardError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *CardError) Unwrap() error { return e.Err }

// errUnnamed says that there is no card to make a name of.
var errUnnamed = Invalid{"Its card could not be read: give the agent a name."}

// unnamed is the name of an agent until its card is known.
const unnamed = "unnamed-agent"

// AddAgent reads the card of an agent, and adds the agent with this card in force in
// one transaction. It returns the agent with its name, and what the card says, nil
// if it could not be read. If it fails, nothing was added; the error is
//   - a *CardError if the card could not be read, unless a.Unseen is set,
//   - bridge.ErrOtherCard, with what the card says, if its digest is not a.Digest,
//   - directory.ErrExists or directory.ErrTooMany.
func (s *Service) AddAgent(ctx context.Context, by Actor, a NewAgent) (directory.Settings, *directory.Preview, error) {
	seen, err := s.addAgent(ctx, &a)
	return a.Settings, seen, s.recorded(ctx, by, audit.AgentAdded, a.Name, a.URL, err)
}

func (s *Service) addAgent(ctx context.Context, a *NewAgent) (*directory.Preview, error) {
	seen, err := s.PreviewAgent(ctx, a.Settings)
	switch {
	case errors.Is(err, directory.ErrExists):
		return nil, err
	case err != nil && !a.Unseen:
		return nil, &CardError{a.URL, err}
	case err != nil && a.Name == "":
		return nil, errUnnamed
	case err == nil && a.Digest != "" && a.Digest != seen.Digest():
		return seen, directory.ErrOtherCard
	case a.Name == "":
		a.Name = nameOf(seen.Name)
	}
	return seen, s.Agents.Add(ctx, a.Settings, seen)
}

// PreviewAgent reads the card of an agent that need not have a name, and stores
// nothing. It fails as directory.Registry.Preview does.
func (s *Service) PreviewAgent(ctx context.Context, a directory.Settings) (*directory.Preview, error) {
	a.Name = cmp.Or(a.Name, unnamed)
	return s.Agents.Preview(ctx, a)
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// nameOf makes the name of an agent of the name on its card.
func nameOf(card string) string {
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(card), "-"), "-")
	return cmp.Or(strings.Trim(name[:min(len(name), 63)], "-"), "agent")
}

// ChangeAgent changes an agent that was added. It fails as
// directory.Registry.Change does.
func (s *Service) ChangeAgent(ctx context.Context, by Actor, a directory.Settings, version int64, keepSecret bool) error {
	return s.recorded(ctx, by, audit.AgentChanged, a.Name, a.URL, s.Agents.Change(ctx, a, version, keepSecret))
}

// RemoveAgent forgets an agent that was added. It fails as
// directory.Registry.Remove does.
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
func (s *Service) Cards(ctx context.Context, agent string) ([]directory.SeenCard, error) {
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
	return digest, s.recorded(ctx, by, audit.CardAccepted, agent, sanitize.Short(digest, 64), s.Agents.Accept(ctx, agent, digest))
}
