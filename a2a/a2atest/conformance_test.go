package a2atest_test

import (
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
)

func TestAgentOverTheWire(t *testing.T) {
	for name, generations := range map[string][]a2a.Generation{
		"1.0":         {a2a.V10},
		"0.3":         {a2a.V03},
		"1.0 and 0.3": {a2a.V10, a2a.V03},
	} {
		t.Run(name, func(t *testing.T) {
			a2atest.TestAgent(t, func(t *testing.T, agent *a2atest.Agent) a2a.Agent {
				c := dial(t, a2atest.Serve(t, agent, agent.Card(), generations...))
				if got := c.Interface().Version; got != generations[0] {
					t.Errorf("speaking %s, want %s", got, generations[0])
				}
				return c
			})
		})
	}
}

func TestAgentThroughATranslator(t *testing.T) {
	for name, g := range map[string][2]a2a.Generation{
		"callers of 0.3 reach an agent of 1.0": {a2a.V03, a2a.V10},
		"callers of 1.0 reach an agent of 0.3": {a2a.V10, a2a.V03},
	} {
		t.Run(name, func(t *testing.T) {
			a2atest.TestAgent(t, func(t *testing.T, agent *a2atest.Agent) a2a.Agent {
				inner := dial(t, a2atest.Serve(t, agent, agent.Card(), g[1]))
				return dial(t, a2atest.Serve(t, inner, agent.Card(), g[0]))
			})
		})
	}
}

func dial(t *testing.T, url string) *a2aclient.Client {
	t.Helper()
	c, err := (&a2aclient.Dialer{Pause: time.Millisecond}).Dial(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
