package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"rialto/bridge/directory"
	"rialto/bridge/operator"
)

// agentBody is an agent as an operator sends it.
type agentBody struct {
	directory.AgentConfig
	Secret  *string `json:"secret"`  // that proves to the agent who calls; left out, a change keeps the one there is
	Version int64   `json:"version"` // of the agent that is changed
	Unseen  bool    `json:"unseen"`  // add the agent even if its card cannot be read
}

func (b *agentBody) agent() directory.AgentConfig {
	a := b.AgentConfig
	if b.Secret != nil {
		a.Credentials.Secret = *b.Secret
	}
	return a
}

func (a operatorAPI) addAgent(r *http.Request, in agentBody) (any, error) {
	added, _, err := a.Operator.Agents.Add(
		r.Context(),
		a.Callers.Actor(r),
		operator.NewAgent{AgentConfig: in.agent(), Unseen: in.Unseen},
	)
	if err != nil {
		return nil, err
	}

	s, err := a.Operator.Agents.Agent(r.Context(), added.Name)
	return created{s}, err
}

func (a operatorAPI) changeAgent(r *http.Request, in agentBody) (any, error) {
	name := variable(r, "agent")
	if in.Name != "" && in.Name != name {
		return nil, badRequest(
			"name is %q in the body and %q in the address: an agent keeps its name.", in.Name, name,
		)
	}

	in.Name = name
	if err := a.Operator.Agents.Change(
		r.Context(),
		a.Callers.Actor(r),
		in.agent(),
		in.Version,
		in.Secret == nil,
	); err != nil {
		return nil, err
	}

	return a.one("agents")(r)
}

// change answers with an agent after a change of it.
func (a operatorAPI) change(
	do func(operator.Agents, context.Context, operator.Actor, string) (bool, error),
) handler {
	return func(r *http.Request) (any, error) {
		if _, err := do(
			a.Operator.Agents,
			r.Context(),
			a.Callers.Actor(r),
			variable(r, "agent"),
		); err != nil {
			return nil, err
		}
		return a.one("agents")(r)
	}
}

// previewAgent reads the card of an agent that is not added yet.
func (a operatorAPI) previewAgent(r *http.Request, in agentBody) (any, error) {
	return a.Operator.Agents.Preview(r.Context(), in.agent())
}

// testAgent sends an agent one message in the operator's name.
func (a operatorAPI) testAgent(r *http.Request, in struct {
	Message string `json:"message"`
}) (any, error) {
	if in.Message == "" {
		return nil, badRequest("message is missing: what is the agent to be asked?")
	}
	return a.Operator.Agents.Test(
		r.Context(),
		a.Callers.Actor(r).ID,
		variable(r, "agent"),
		in.Message,
	)
}

type cardEntry struct {
	Digest  string          `json:"digest"`
	First   time.Time       `json:"first"`
	Last    time.Time       `json:"last"`
	InForce bool            `json:"in_force"`
	Card    json.RawMessage `json:"card"`
}

// cardList are those of one agent, as it has shown them.
type cardList struct {
	Cards []cardEntry `json:"cards"`
}

// cards lists the cards that an agent has shown, the latest first.
func (a operatorAPI) cards(r *http.Request) (any, error) {
	seen, err := a.Operator.Agents.Cards(r.Context(), variable(r, "agent"))
	valid, known := directory.InForce(seen)
	all := []cardEntry{}
	for _, c := range seen {
		all = append(
			all, cardEntry{c.Digest, c.First, c.Last, known && c.Digest == valid.Digest, c.Card},
		)
	}
	return cardList{all}, err
}

// acceptCard puts the card that an agent has shown last in force, if that is the
// one that the body names.
func (a operatorAPI) acceptCard(r *http.Request) (any, error) {
	var in struct {
		Digest string `json:"digest"`
	}
	if r.ContentLength != 0 {
		if err := read(r, &in); err != nil {
			return nil, err
		}
	}

	_, err := a.Operator.Agents.AcceptCard(
		r.Context(),
		a.Callers.Actor(r),
		variable(r, "agent"),
		in.Digest,
	)
	return struct{}{}, err
}
