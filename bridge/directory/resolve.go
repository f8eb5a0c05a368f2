package directory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
)

// Resolved is an agent that a call may use, with the skill that the call asks for.
type Resolved struct {
	*Agent
	d      *Directory
	access Access
	skill  string
}

// Resolve returns the agent of a call: the named one, or the default or only one. It is the
// only way to an agent that takes messages. An agent or a skill that the call may not know
// of does not exist. Its errors are InputErrors that name what to choose instead.
func (d *Directory) Resolve(ctx context.Context, a Access, name, skill string) (*Resolved, error) {
	p, err := d.choose(ctx, a, name, skill)
	if err != nil {
		return nil, err
	}

	r := &Resolved{
		Agent:  p,
		d:      d,
		access: a,
		skill:  skill,
	}
	if skill != "" && !a.Allows(p, skill) {
		return nil, r.noSkill(ctx)
	}

	return r, nil
}

// CheckSkill returns an InputError if the call has to name a skill and does not: an agent that gets a
// message without one chooses any.
func (r *Resolved) CheckSkill() error {
	c := r.access.caller.Connector
	if r.skill != "" || c == nil || len(c.Skills) == 0 {
		return nil
	}
	return ledger.InputError{
		Text: "The argument \"skill\" is missing. This connector reaches only the skills " +
			strings.Join(c.Skills, ", ") + ".",
	}
}

// Connect reaches the agent on behalf of the user of the call, and checks that its card has
// the skill. An agent that names its skills would not refuse another one, and do something
// else. A skill may also be one that it names only to those who may call it.
func (r *Resolved) Connect(ctx context.Context) (Conn, error) {
	conn, err := r.d.ConnectFor(ctx, r.Agent, r.access.User())
	if err != nil {
		return nil, err
	}

	card := conn.Card()
	if r.skill == "" || len(card.Skills) == 0 || card.Capabilities.ExtendedAgentCard {
		return conn, nil
	}
	if _, ok := card.Skill(r.skill); !ok {
		return nil, r.noSkill(ctx)
	}

	return conn, nil
}

// Shown returns a card of the agent with what the call may know of. The forms of skills are left out
// where they would name skills that are.
func (r *Resolved) Shown(card *a2a.Card) *a2a.Card {
	c := *r.access.Card(r.Agent, card)
	if len(c.Skills) < len(card.Skills) {
		c.Capabilities.Extensions = slices.DeleteFunc(
			slices.Clone(c.Capabilities.Extensions),
			func(e a2a.Extension) bool { return e.URI == a2a.SkillForms },
		)
	}
	return &c
}

// ExtendedCard returns the extended card of the agent. It is the public card if there is no other, or if
// no operator has reviewed the other.
func (r *Resolved) ExtendedCard(ctx context.Context, conn Conn) (*a2a.Card, error) {
	teller, ok := conn.(a2a.Extender)
	if !ok || !conn.Card().Capabilities.ExtendedAgentCard || r.Review {
		return conn.Card(), nil
	}
	return teller.ExtendedCard(ctx)
}

// Suspended returns an error while no call to the agent is made, because several in a row failed.
func (r *Resolved) Suspended() error {
	last := r.last.Load()
	if last == nil {
		return nil
	}

	conn, ok := last.conn.(a2a.Contacted)
	if !ok {
		return nil
	}

	wait := conn.Contact().Until.Sub(r.d.Now()).Round(time.Second)
	if wait <= 0 {
		return nil
	}

	e := a2a.Errorf(
		a2a.Unavailable,
		"the agent %s failed several times in a row; next attempt in %s",
		r.Name,
		wait,
	)
	e.NotSent = true
	e.RetryAfter = wait
	return e
}

func (d *Directory) choose(ctx context.Context, a Access, name, skill string) (*Agent, error) {
	named := d.Agent(a, cmp.Or(name, a.policy.Default))
	if named != nil && !named.Disabled {
		return named, nil
	}

	agents := d.Agents(a)
	if name == "" && named == nil && len(agents) == 1 {
		return agents[0], nil
	}
	names := make([]string, len(agents))
	for i, p := range agents {
		names[i] = p.Name
	}
	known := strings.Join(names, ", ")
	switch {
	case named != nil:
		return nil, noAgent{ledger.InputError{Text: fmt.Sprintf(
			"The agent %s is disabled and takes no messages now. Choose one of: %s.", named.Name, known)}}
	case name == "":
		return nil, d.missingAgent(ctx, a, skill, known)
	}

	return nil, noAgent{ledger.InputError{Text: fmt.Sprintf(
		"There is no agent named %q. Choose one of: %s.", sanitize.Short(name, 100), known)}}
}

// noAgent is an ErrNoAgent in words that the caller can act on.
type noAgent struct{ ledger.InputError }

// Unwrap returns both errors that it is.
func (e noAgent) Unwrap() []error { return []error{e.InputError, ErrNoAgent} }

// missingAgent is the error for a call that names no agent when there are several.
func (d *Directory) missingAgent(ctx context.Context, a Access, skill, known string) error {
	text := "The argument \"agent\" is missing."
	if skill != "" {
		if have := d.withSkill(ctx, a, skill); len(have) > 0 {
			text += " The skill is there with \"agent\": " + strings.Join(have, ", or ") + "."
		}
	}
	return ledger.InputError{
		Text: text + " Choose one of: " + known + ". list_agents tells what each can do.",
	}
}

// maxWithSkill bounds the agents with a skill that an error names.
const maxWithSkill = 3

// withSkill returns the names of the caller's agents that have a skill, as JSON strings.
func (d *Directory) withSkill(ctx context.Context, a Access, skill string) (names []string) {
	for _, p := range d.Reachable(ctx, a) {
		if _, ok := a.Card(p, p.Card()).Skill(skill); ok && len(names) < maxWithSkill {
			names = append(names, fmt.Sprintf("%q", p.Name))
		}
	}
	return names
}

// noSkill is what a caller learns of a skill that is not there, or not for them.
func (r *Resolved) noSkill(ctx context.Context) error {
	text := "The agent " + r.Name + " has no skill " + sanitize.Short(r.skill, sanitize.MaxName) +
		", or not for you. get_agent tells which it has."
	if have := r.d.withSkill(ctx, r.access, r.skill); len(have) > 0 {
		text += " This skill is there with \"agent\": " + strings.Join(have, ", or ") + "."
	}
	return ledger.InputError{Text: text}
}
