package server

import (
	"crypto/rand"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/cmd/rialto/internal/config"
)

// noSuchSkill is the sentence for the caller, as part of an error of A2A in its spelling.
const noSuchSkill = "agent echo has no skill juggling, or not for you. get_agent tells which it has"

// TestUnknownSkillsAreRefusedAtEveryDoor names a skill that is not on the agent's card, in a first
// message and in an answer. An agent does not say that it has no such skill, and does something
// else: so it must not get the message.
func TestUnknownSkillsAreRefusedAtEveryDoor(t *testing.T) {
	r := newRecording(t, nil, func(*config.Config) {})
	token := r.unlimited()
	for _, door := range r.sendingDoors(t) {
		for _, what := range []string{"a first message", "an answer"} {
			if what == "an answer" && door.names {
				continue
			}
			t.Run(door.name+": "+what, func(t *testing.T) {
				m := outgoing{agent: "echo", id: rand.Text(), text: "echo juggled", skill: "juggling"}
				if what == "an answer" {
					m.task = r.create(token, "echo", `{"message":"ask which?","wait":20}`).ID
				}
				received, tasks := len(r.agents["echo"].Received()), r.tasks(t, token)
				said := strings.ReplaceAll(door.send(token, m), `\"`, `"`)
				if !strings.Contains(said, noSuchSkill) {
					t.Errorf("got %.600s, want %s", said, noSuchSkill)
				}
				kind, _, _ := strings.Cut(door.name, " ")
				spelling := map[string]string{
					"A2A": string(a2a.InvalidParams), "REST": "400 ", "MCP": `"isError":true`,
				}[kind]
				if !strings.Contains(said, spelling) {
					t.Errorf("got %.600s, want %s", said, spelling)
				}
				if got := len(r.agents["echo"].Received()); got != received {
					t.Errorf("the agent got %d messages", got-received)
				}
				if got := r.tasks(t, token); got != tasks {
					t.Errorf("there are %d more tasks", got-tasks)
				}
			})
		}
	}
}

// TestSkillsThatMayExistAreSent names skills that the agent may have: one on its card; any, where
// the card lists none; any, where the agent tells more to those who may call it.
func TestSkillsThatMayExistAreSent(t *testing.T) {
	r := newRecording(t, map[string]func(*a2a.Card){
		"silent": func(c *a2a.Card) { c.Skills = nil },
		"shy":    func(c *a2a.Card) { c.Capabilities.ExtendedAgentCard = true },
	}, func(*config.Config) {})
	token := r.unlimited()
	for _, door := range r.sendingDoors(t) {
		for agent, skill := range map[string]string{"echo": "echo", "silent": "juggling", "shy": "juggling"} {
			if agent != "echo" && strings.Contains(door.name, "0.3 over GRPC") {
				continue // which reaches the primary agent
			}
			t.Run(door.name+": "+agent, func(t *testing.T) {
				received := len(r.agents[agent].Received())
				m := outgoing{agent: agent, id: rand.Text(), text: "echo juggled", skill: skill}
				said := door.send(token, m)
				got := r.last(t, agent, received, said)
				inside, _ := got.Message.Metadata["skillId"].(string)
				around, _ := got.Metadata["skillId"].(string)
				if inside != skill && around != skill {
					t.Errorf("got %v and %v, want the skill %s", got.Message.Metadata, got.Metadata, skill)
				}
			})
		}
	}
}
