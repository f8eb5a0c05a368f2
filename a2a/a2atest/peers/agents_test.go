package peers

import (
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/internal/tableexpert"
)

// served is an agent of ours, with a message that it can complete.
type served struct {
	agent a2a.Agent
	card  *a2a.Card
	text  string // what to say to it
	want  string // what its first artifact then begins with
}

// agents are tested with every foreign client. An agent more is a line.
func agents() map[string]func(t *testing.T) served {
	return map[string]func(t *testing.T) served{
		"the scripted agent": func(t *testing.T) served {
			agent := scripted(t)
			return served{agent, agent.Card(), "echo hello", "hello"}
		},
		"the Table Expert": func(t *testing.T) served {
			expert := tableExpert(t)
			return served{expert.Agent(), expert.Card(), "SELECT 'hello' AS greeting", "| greeting |"}
		},
	}
}

func scripted(t *testing.T) *a2atest.Agent {
	t.Helper()
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	return agent
}

func tableExpert(t *testing.T) *tableexpert.Expert {
	t.Helper()
	expert, err := tableexpert.Open(t.Context(), tableexpert.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { expert.Close() })
	return expert
}
