package directory

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
)

// Caller is for whom, and through which client, a call is made.
type Caller struct {
	User   string
	Client string // "" for a person in a browser

	// Connector is the one through which the call comes; nil reaches the whole server.
	Connector *Connector

	// UseCases are those that the caller works for. AllUseCases reaches every agent.
	UseCases    []string
	AllUseCases bool
}

// Access is what a call may reach: for whom it is made, through which client, with which
// use cases, and the policy in force when it began. Each door makes one for each call, with
// Directory.Access, and nothing changes it. Agents and tasks are asked for with an Access.
type Access struct {
	caller  Caller
	policy  Policy
	useCase string // that the call names, one of the caller's; "" for none
}

// Access returns the access of the request in ctx.
func (d *Directory) Access(ctx context.Context) Access { return d.AccessOf(d.Caller(ctx)) }

// AccessOf returns the access of a caller without a request.
func (d *Directory) AccessOf(c Caller) Access { return Access{caller: c, policy: d.InForce()} }

// User returns the account that the call is made for; "" for none.
func (a Access) User() string { return a.caller.User }

// Client returns the client through which the call is made; "" for a person in a browser.
func (a Access) Client() string { return a.caller.Client }

// Connector returns the name of the connector of the call; "" for that of the whole server.
func (a Access) Connector() string {
	if a.caller.Connector == nil {
		return ""
	}
	return a.caller.Connector.Name
}

// Allows reports whether the call may know of an agent and of one of its skills; skill ""
// is none in particular.
func (a Access) Allows(agent *Agent, skill string) bool {
	if !a.caller.Connector.reaches(agent.Name, skill) || !a.reaches(agent.UseCases) {
		return false
	}
	for _, rule := range agent.Skills {
		if rule.ID == skill && !a.reaches(rule.UseCases) {
			return false
		}
	}
	return true
}

// reaches reports whether what is for some use cases, none being all, is for the caller.
func (a Access) reaches(useCases []string) bool {
	if len(useCases) == 0 {
		return true
	}
	return slices.ContainsFunc(useCases, a.has)
}

// has reports whether the caller may work for a use case.
func (a Access) has(useCase string) bool {
	if a.policy.ForceUseCase != "" {
		return useCase == a.policy.ForceUseCase
	}
	return a.caller.AllUseCases || slices.Contains(a.caller.UseCases, useCase)
}

// AllowsMessages reports whether an agent takes messages of a call now, for one of its skills; skill
// "" is none in particular.
func (d *Directory) AllowsMessages(a Access, agent, skill string) bool {
	p := d.Agent(a, agent)
	return p != nil && !p.Disabled && a.Allows(p, skill)
}

// AllowsTasks reports whether a call may know of the tasks of an agent. People see all of
// their tasks; clients see those of the agents that they may know of. The use cases of a
// removed agent are unknown, so only clients for all use cases see its tasks.
func (d *Directory) AllowsTasks(a Access, agent string) bool {
	if a.caller.Client == "" {
		return true
	}
	if p := d.Lookup(agent); p != nil {
		return a.Allows(p, "")
	}
	return a.caller.AllUseCases && a.caller.Connector.reaches(agent, "")
}

// AllowsAllTasks reports whether a call may know of the tasks of every agent.
func (a Access) AllowsAllTasks() bool {
	if a.caller.Client == "" {
		return true
	}
	narrowed := a.policy.ForceUseCase != "" || a.caller.Connector != nil
	return a.caller.AllUseCases && !narrowed
}

// AllowsTool reports whether a call may use a tool of the server.
func (a Access) AllowsTool(name string) bool {
	return a.caller.Connector == nil || lists(a.caller.Connector.Tools, name)
}

// CheckSend returns an InputError if the call comes through a connector without a tool that sends: it
// reads what there is, by whatever protocol.
func (a Access) CheckSend() error {
	if a.caller.Connector.sends() {
		return nil
	}
	return ledger.InputError{Text: "This connector only reads: it has no tool that sends to agents."}
}

// DefaultAgent returns the agent of calls that name none; "" if there is none.
func (a Access) DefaultAgent() string { return a.policy.Default }

// UseCase returns the use case of a call: the forced one, the one that the call names, or
// that of the caller if there is only one.
func (a Access) UseCase() string {
	switch {
	case a.policy.ForceUseCase != "":
		return a.policy.ForceUseCase
	case a.useCase != "":
		return a.useCase
	case !a.caller.AllUseCases && len(a.caller.UseCases) == 1:
		return a.caller.UseCases[0]
	}
	return ""
}

// WithUseCase returns the access of a call that names a use case. It reports false if that
// is none of the caller's. A forced use case stays in force.
func (a Access) WithUseCase(name string) (Access, bool) {
	switch {
	case a.policy.ForceUseCase != "":
		return a, true
	case len(name) > sanitize.MaxName || !a.has(name):
		return a, false
	}
	a.useCase = name
	return a, true
}

// Continuing returns the access of a message to a task that was begun with a use case. The
// message keeps that use case, unless the call has one or the caller may not use it.
func (a Access) Continuing(useCase string) Access {
	if useCase == "" || a.UseCase() != "" {
		return a
	}
	kept, _ := a.WithUseCase(useCase)
	return kept
}

// Card returns an agent's card with those skills that the call may know of.
func (a Access) Card(agent *Agent, card *a2a.Card) *a2a.Card {
	if len(agent.Skills) == 0 && a.caller.Connector == nil {
		return card
	}
	c := *card
	c.Skills = slices.DeleteFunc(slices.Clone(card.Skills), func(s a2a.Skill) bool {
		return !a.Allows(agent, s.ID)
	})
	return &c
}

// Metadata members of a message for its agent. Agents that do not know them ignore them.
const (
	SkillKey   = "skillId" // no generation before 1.1 has a field for it
	UseCaseKey = "usecase"
	topicKey   = "topic"
)

// Metadata returns the metadata of a message for its agent: what the caller said, with the
// use case and the topic of the call where the caller did not say them. A forced use case
// replaces another one.
func (a Access) Metadata(said a2a.Metadata) a2a.Metadata {
	m := a2a.Metadata{}
	maps.Copy(m, said)
	set := func(key, value string, override bool) {
		if value != "" && (override || m[key] == nil) { // what is null says nothing
			m[key] = value
		}
	}
	set(UseCaseKey, a.UseCase(), a.policy.ForceUseCase != "")
	set(topicKey, a.policy.Topic, false)
	if len(m) == 0 {
		return said
	}

	return m
}

// OverrideUseCase replaces the use case in the arguments of a call, a JSON object, by the
// forced one.
func (a Access) OverrideUseCase(arguments json.RawMessage) json.RawMessage {
	if a.policy.ForceUseCase == "" {
		return arguments
	}

	var members map[string]json.RawMessage
	if json.Unmarshal(arguments, &members) != nil || members[UseCaseKey] == nil {
		return arguments
	}

	forced, err := json.Marshal(a.policy.ForceUseCase)
	if err != nil {
		return arguments // a string always has a form
	}

	members[UseCaseKey] = forced
	changed, err := json.Marshal(members)
	if err != nil {
		return arguments
	}

	return changed
}

// OverrideParts does the same in the data of a message.
func (a Access) OverrideParts(parts []a2a.Part) []a2a.Part {
	if a.policy.ForceUseCase == "" {
		return parts
	}

	parts = slices.Clone(parts)
	for i, p := range parts {
		if data, ok := p.Content.(a2a.Data); ok {
			parts[i].Content = a2a.Data(a.OverrideUseCase(json.RawMessage(data)))
		}
	}

	return parts
}
