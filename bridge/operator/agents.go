package operator

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"strings"

	"rialto/bridge"
	"rialto/bridge/directory"
	"rialto/bridge/sanitize"
	"rialto/internal/audit"
)

// Agents are the use cases about agents. Registry is required where one of them is called.
type Agents struct {
	Registry *directory.Registry
	Bridge   *bridge.Bridge // connects an agent that was added; nil connects none
	Audit    audit.Recorder // records the changes; nil records none
}

// List returns all agents, those of the configuration first.
func (s Agents) List(ctx context.Context) ([]directory.AgentStatus, error) {
	return s.Registry.List(ctx)
}

// Agent returns the agent with a name, or ErrNotFound.
func (s Agents) Agent(ctx context.Context, name string) (*directory.AgentStatus, error) {
	a, err := s.Registry.Agent(ctx, name)
	return a, refusal(err)
}

// NewAgent is an agent to be added. Without a name, it gets one made of the name on its card.
type NewAgent struct {
	directory.AgentConfig
	Unseen bool   // add the agent even if its card cannot be read
	Digest string // of the card that the operator has seen; "" accepts any card
}

// unnamed is the name of an agent until its card is known.
const unnamed = "unnamed-agent"

// Add reads the card of an agent, and adds the agent with this card in force in
// one transaction. It returns the agent with its name, and what the card says, nil
// if it could not be read. If it fails, nothing was added; the error is
//   - an *AgentError if the settings are wrong, or the card could not be read and
//     a.Unseen is not set,
//   - ErrOtherCard, with what the card says, if its digest is not a.Digest,
//   - another Error if the name is taken or there are too many agents.
func (s Agents) Add(
	ctx context.Context, by Actor, a NewAgent,
) (directory.AgentConfig, *directory.Preview, error) {
	seen, err := s.add(ctx, &a)
	return a.AgentConfig, seen, record(ctx, s.Audit, by, audit.AgentAdded, a.Name, a.URL, err)
}

func (s Agents) add(ctx context.Context, a *NewAgent) (*directory.Preview, error) {
	seen, err := s.Preview(ctx, a.AgentConfig)
	switch {
	case errors.Is(err, errAgentExists), err != nil && !a.Unseen:
		return nil, err
	case err != nil && a.Name == "":
		return nil, errUnnamed
	case err == nil && a.Digest != "" && a.Digest != seen.Digest():
		return seen, ErrOtherCard
	case a.Name == "":
		a.Name = nameOf(seen.Name)
	}

	err = refusal(s.Registry.Add(ctx, a.AgentConfig, seen))
	if err == nil && s.Bridge != nil {
		if e := s.Bridge.Directory.Lookup(a.Name); e != nil {
			_, _ = s.Bridge.Directory.Connect(
				ctx, e,
			) // so that its state is known at once; health has the error
		}
	}

	return seen, err
}

// Preview reads the card of an agent, which need not have a name, and stores nothing. It fails
// with an *AgentError, and with an Error for the name of an agent of the configuration.
func (s Agents) Preview(ctx context.Context, a directory.AgentConfig) (*directory.Preview, error) {
	a.Name = cmp.Or(a.Name, unnamed)
	p, err := s.Registry.Preview(ctx, a)
	if err = refusal(err); err == nil || errors.Is(err, errAgentExists) {
		return p, err
	}
	if _, ok := errors.AsType[*AgentError](err); !ok {
		err = &AgentError{err}
	}
	return nil, err
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

func nameOf(card string) string {
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(card), "-"), "-")
	return cmp.Or(strings.Trim(name[:min(len(name), 63)], "-"), "agent")
}

// Change changes an agent that was added: see directory.Registry.Change. It
// fails with ErrNotFound, an *AgentError, or an Error if the agent was changed since
// that version or is in the configuration.
func (s Agents) Change(
	ctx context.Context,
	by Actor,
	a directory.AgentConfig,
	version int64,
	keepSecret bool,
) error {
	err := refusal(s.Registry.Change(ctx, a, version, keepSecret))
	return record(ctx, s.Audit, by, audit.AgentChanged, a.Name, a.URL, err)
}

// Remove removes an agent that was added; its tasks go on. It fails with
// ErrNotFound, and with an Error for an agent of the configuration.
func (s Agents) Remove(ctx context.Context, by Actor, name string) error {
	return record(
		ctx,
		s.Audit,
		by,
		audit.AgentRemoved,
		name,
		"",
		refusal(s.Registry.Remove(ctx, name)),
	)
}

// Enable lets an agent take tasks again, and reports whether it was disabled.
// It fails with ErrNotFound.
func (s Agents) Enable(ctx context.Context, by Actor, name string) (bool, error) {
	changed, err := s.Registry.Enable(ctx, name)
	return changed, s.recordSwitch(ctx, by, audit.AgentEnabled, name, changed, err)
}

// Disable keeps an agent from taking new tasks, and reports whether it was
// enabled. It fails with ErrNotFound.
func (s Agents) Disable(ctx context.Context, by Actor, name string) (bool, error) {
	changed, err := s.Registry.Disable(ctx, name)
	return changed, s.recordSwitch(ctx, by, audit.AgentDisabled, name, changed, err)
}

func (s Agents) recordSwitch(
	ctx context.Context,
	by Actor,
	kind audit.Kind,
	name string,
	changed bool,
	err error,
) error {
	if !changed && err == nil {
		return nil
	}
	return record(ctx, s.Audit, by, kind, name, "", refusal(err))
}

// Test sends an agent one message as a user, and returns its answer. It fails
// with ErrNotFound, or an *AgentError if there is no answer.
func (s Agents) Test(ctx context.Context, user, name, message string) (*directory.Trial, error) {
	t, err := s.Registry.Test(ctx, user, name, message)
	if err = refusal(err); err != nil && !errors.Is(err, ErrNotFound) {
		err = &AgentError{err}
	}
	return t, err
}

// Cards returns the cards that an agent has shown, the latest first.
func (s Agents) Cards(ctx context.Context, agent string) ([]directory.SeenCard, error) {
	return s.Registry.Cards.SeenCards(ctx, agent)
}

// AcceptCard puts the card that an agent has shown last in force, if its digest
// begins with digest; "" is any. It returns the whole digest. It fails with an Error
// if no card waits, and with ErrOtherCard if another card does.
func (s Agents) AcceptCard(ctx context.Context, by Actor, agent, digest string) (string, error) {
	cards, err := s.Cards(ctx, agent)
	if err != nil {
		return "", err
	}
	if len(cards) > 0 && strings.HasPrefix(cards[0].Digest, digest) {
		digest = cards[0].Digest
	}

	return digest, record(
		ctx,
		s.Audit,
		by,
		audit.CardAccepted,
		agent,
		sanitize.Short(digest, 64),
		refusal(s.Registry.Accept(ctx, agent, digest)),
	)
}
