package directory

import (
	"context"
	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"slices"
)

// Caller is for whom, and through which client, a call is made.
type Caller struct {
	User   string
	Client string

	// UseCases are those that the caller works for. AllUseCases reaches every agent.
	UseCases    []string
	AllUseCases bool
}

// Effective returns the caller of ctx, kept to the use case that the operator forces.
func (d *Directory) Effective(ctx context.Context) Caller { return d.Restrict(d.Caller(ctx)) }

// Restrict returns a caller kept to the use case that the operator forces.
func (d *Directory) Restrict(c Caller) Caller {
	if d.InForce().ForceUseCase != "" {
		c.UseCases, c.AllUseCases = []string{d.InForce().ForceUseCase}, false
	}
	return c
}

// reaches tells whether what is for some use cases is for the caller.
func (c Caller) reaches(useCases []string) bool {
	if len(useCases) == 0 || c.AllUseCases {
		return true
	}
	return slices.ContainsFunc(c.UseCases, func(u string) bool { return slices.Contains(useCases, u) })
}

// Sees tells whether the caller may know of an agent.
func (c Caller) Sees(a Agent) bool { return c.reaches(a.UseCases) }

// SeesSkill tells whether the caller, who sees the agent, may know of a skill.
func (c Caller) SeesSkill(a Agent, skill string) bool {
	for _, rule := range a.Skills {
		if rule.ID == skill && !c.reaches(rule.UseCases) {
			return false
		}
	}
	return true
}

// Hides reports whether the tasks of an agent are hidden from the caller: a client whose use cases
// do not include the agent. People see all of their tasks. The use cases of a removed agent are
// unknown, so only clients for all use cases see its tasks.
func (d *Directory) Hides(ctx context.Context, agent string) bool {
	return d.HidesFrom(d.Caller(ctx), agent)
}

// HidesFrom is Hides for a caller without a request.
func (d *Directory) HidesFrom(caller Caller, agent string) bool {
	if caller.Client == "" {
		return false
	}
	if p := d.Lookup(agent); p != nil {
		return !d.Restrict(caller).Sees(p.Agent)
	}
	return !caller.AllUseCases
}

// CheckSkill returns an error if a message asks for a skill that is not for the caller.
func (c Caller) CheckSkill(a Agent, skill string) error {
	if skill == "" || c.SeesSkill(a, skill) {
		return nil
	}
	return errNoSkill(a.Name, skill)
}

// CardFor returns an agent's card with those skills that the caller may know of.
func (d *Directory) CardFor(ctx context.Context, a Agent, card *a2a.Card) *a2a.Card {
	if len(a.Skills) == 0 {
		return card
	}
	caller, c := d.Effective(ctx), *card
	c.Skills = slices.DeleteFunc(slices.Clone(card.Skills), func(s a2a.Skill) bool { return !caller.SeesSkill(a, s.ID) })
	return &c
}

// CheckCardSkill returns an error if an agent that names its skills has none called so: it
// would not say so, and do something else. A skill that it names may be used, and one
// may be that it names only to those who may call it.
func CheckCardSkill(conn Conn, agent, skill string) error {
	card := conn.Card()
	if _, ok := card.Skill(skill); ok || skill == "" || len(card.Skills) == 0 || card.Capabilities.ExtendedAgentCard {
		return nil
	}
	return errNoSkill(agent, skill)
}

// errNoSkill is what a caller learns of a skill that is not for them.
func errNoSkill(agent, skill string) error {
	return noSkill{ledger.InputError{Text: "The agent " + agent + " has no skill " + sanitize.Short(skill, sanitize.MaxName) + ", or not for you. get_agent tells which it has."}}
}

// noSkill is what a caller learns of a skill that is not for them.
type noSkill struct{ ledger.InputError }

// Unwrap lets errors.As find the InputError.
func (e noSkill) Unwrap() error { return e.InputError }
