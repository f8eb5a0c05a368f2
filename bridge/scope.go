package bridge

import (
	"context"
	"maps"
	"slices"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
)

// SkillRule is what an operator says of one skill of an agent.
type SkillRule struct {
	ID string

	// UseCases are those whose callers may know of the skill; none means all who
	// may know of the agent.
	UseCases []string
}

// caller returns for whom a context acts, kept to the use case that the
// operator forces.
func (b *Bridge) caller(ctx context.Context) Caller { return b.kept(b.Caller(ctx)) }

// kept returns a caller kept to the use case that the operator forces.
func (b *Bridge) kept(c Caller) Caller {
	if b.ForceUseCase != "" {
		c.UseCases, c.AllUseCases = []string{b.ForceUseCase}, false
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

// sees tells whether the caller may know of an agent.
func (c Caller) sees(a Agent) bool { return c.reaches(a.UseCases) }

// seesSkill tells whether the caller, who sees the agent, may know of a skill.
func (c Caller) seesSkill(a Agent, skill string) bool {
	for _, rule := range a.Skills {
		if rule.ID == skill && !c.reaches(rule.UseCases) {
			return false
		}
	}
	return true
}

// hides tells whether tasks of an agent are not for the caller, a client whose
// use cases do not reach it. People see all of their tasks. For which use cases an
// agent was that is gone, nobody knows: clients for all of them see its tasks.
func (b *Bridge) hides(ctx context.Context, agent string) bool {
	caller := b.Caller(ctx)
	if caller.Client == "" {
		return false
	}
	if p := b.peer(agent); p != nil {
		return !b.kept(caller).sees(p.Agent)
	}
	return !caller.AllUseCases
}

// own returns the caller's task, or ErrNoTask.
func (b *Bridge) own(ctx context.Context, handle string) (*ledger.Record, error) {
	e, err := b.Ledger.Task(ctx, b.Caller(ctx).User, handle)
	if err == nil && b.hides(ctx, e.Agent) {
		return nil, ledger.ErrNoTask
	}
	return e, err
}

// skillFor returns an error if a message asks for a skill that is not for the
// caller.
func (c Caller) skillFor(a Agent, skill string) error {
	if skill == "" || c.seesSkill(a, skill) {
		return nil
	}
	return errNoSkill(a.Name, skill)
}

// scoped returns a request that a caller sends to an agent by A2A, with what travels
// beside it: what the caller says, in the message and around it, but only a skill and
// a use case that are theirs.
func (b *Bridge) scoped(ctx context.Context, a Agent, req *a2a.SendRequest) (*a2a.SendRequest, error) {
	caller := b.caller(ctx)
	inside, err := b.beside(caller, a, req.Message.Metadata)
	if err != nil {
		return nil, err
	}
	m, out := *req.Message, *req
	m.Metadata, out.Message = inside, &m
	if b.ForceUseCase != "" {
		m.Parts = b.forcedParts(m.Parts)
	}
	if len(req.Metadata) > 0 { // agents read either
		out.Metadata, err = b.beside(caller, a, req.Metadata)
	}
	return &out, err
}

// beside returns the metadata that an agent gets where a caller says some.
func (b *Bridge) beside(caller Caller, a Agent, said a2a.Metadata) (a2a.Metadata, error) {
	skill, ok := word(said, skillKey)
	if !ok && len(a.Skills) > 0 {
		return nil, ledger.InputError{Text: "The skillId in the metadata must be a string."}
	}
	if err := caller.skillFor(a, skill); err != nil {
		return nil, err
	}
	use, ok := word(said, useCaseKey)
	if said[useCaseKey] != nil && b.ForceUseCase == "" && !caller.AllUseCases && (!ok || !slices.Contains(caller.UseCases, use)) {
		return nil, ledger.InputError{Text: "The use case " + sanitize.Short(use, sanitize.MaxName) + " in the metadata of the message is not one of yours."}
	}
	m := a2a.Metadata{}
	maps.Copy(m, b.about(caller, ""))
	for k, v := range said {
		if v != nil || m[k] == nil { // what is null says nothing
			m[k] = v
		}
	}
	if b.ForceUseCase != "" {
		m[useCaseKey] = b.ForceUseCase
	}
	if len(m) == 0 {
		return said, nil
	}
	return m, nil
}

// word returns a member of metadata that is a string, or is not there.
func word(m a2a.Metadata, key string) (s string, ok bool) {
	if m[key] == nil {
		return "", true
	}
	s, ok = m[key].(string)
	return s, ok
}

// cardFor returns an agent's card with those skills that the caller may know of.
func (b *Bridge) cardFor(ctx context.Context, a Agent, card *a2a.Card) *a2a.Card {
	if len(a.Skills) == 0 {
		return card
	}
	caller, c := b.caller(ctx), *card
	c.Skills = slices.DeleteFunc(slices.Clone(card.Skills), func(s a2a.Skill) bool { return !caller.seesSkill(a, s.ID) })
	return &c
}

// hasSkill returns an error if an agent that names its skills has none called so: it
// would not say so, and do something else. A skill that it names may be used, and one
// may be that it names only to those who may call it.
func hasSkill(conn Peer, agent, skill string) error {
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
