package a2atest_test

import (
	"slices"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
)

// all lists the generations that are tested against each other.
var all = []a2a.Generation{a2a.V10, a2a.V03, a2a.V02, a2a.V01}

// suite returns what can be asked of a way that leads through generations.
func suite(generations ...a2a.Generation) func(*testing.T, func(*testing.T, *a2atest.Agent) a2a.Agent, ...string) {
	if slices.Contains(generations, a2a.V01) {
		return a2atest.TestFirstAgent
	}
	return a2atest.TestAgent
}

func TestAgentOverTheWire(t *testing.T) {
	for _, g := range all {
		t.Run(string(g), func(t *testing.T) {
			suite(g)(t, func(t *testing.T, agent *a2atest.Agent) a2a.Agent {
				c := dial(t, a2atest.Serve(t, agent, agent.Card(), g), "")
				if got := c.Interface().Version; got != g {
					t.Errorf("speaking %s, want %s", got, g)
				}
				return c
			})
		})
	}
	t.Run("1.0 and 0.3", func(t *testing.T) {
		a2atest.TestAgent(t, func(t *testing.T, agent *a2atest.Agent) a2a.Agent {
			return dial(t, a2atest.Serve(t, agent, agent.Card(), a2a.V10, a2a.V03), "")
		})
	})
}

func TestAgentOverREST(t *testing.T) {
	for g, lost := range map[a2a.Generation][]string{
		a2a.V10: nil,
		// The protocol buffers of 0.3.0 have no metadata of parts, no names of
		// files, and no referenceTaskIds.
		a2a.V03: {"parts of every kind survive the trip", "the agent gets what was sent"},
	} {
		t.Run(string(g), func(t *testing.T) {
			a2atest.TestAgent(t, func(t *testing.T, agent *a2atest.Agent) a2a.Agent {
				c := dial(t, a2atest.ServeOver(t, agent, agent.Card(), a2a.HTTPJSON, g), "")
				if got := c.Interface(); got.Version != g || got.Binding != a2a.HTTPJSON {
					t.Errorf("speaking %s over %s, want %s", got.Version, got.Binding, g)
				}
				return c
			}, lost...)
		})
	}
}

func TestListing(t *testing.T) {
	for _, b := range []a2a.Binding{a2a.JSONRPC, a2a.HTTPJSON} {
		t.Run(string(b), func(t *testing.T) {
			a2atest.TestLister(t, func(t *testing.T, agent *a2atest.Agent) a2a.Agent {
				return dial(t, a2atest.ServeOver(t, agent, agent.Card(), b, a2a.V10), "")
			})
		})
	}
	agent := a2atest.NewAgent()
	defer agent.Close()
	_, err := dial(t, a2atest.Serve(t, agent, agent.Card(), a2a.V03), "").Tasks(t.Context(), a2a.TaskFilter{})
	if !a2a.Is(err, a2a.UnsupportedOperation) {
		t.Errorf("got %v from an agent of 0.3, want that it cannot", err)
	}
}

// TestWebhooks sets, gets, lists and drops configs of push notifications in each
// generation and binding, and through a translator.
func TestWebhooks(t *testing.T) {
	for _, w := range []a2a.Interface{{Binding: a2a.JSONRPC, Version: a2a.V10}, {Binding: a2a.JSONRPC, Version: a2a.V03}, {Binding: a2a.JSONRPC, Version: a2a.V02},
		{Binding: a2a.JSONRPC, Version: a2a.V01}, {Binding: a2a.HTTPJSON, Version: a2a.V10}, {Binding: a2a.HTTPJSON, Version: a2a.V03}} {
		serve := func(t *testing.T, agent a2a.Agent, card *a2a.Card) *a2aclient.Client {
			return dial(t, a2atest.ServeOver(t, agent, card, w.Binding, w.Version), "")
		}
		t.Run(string(w.Version)+" over "+string(w.Binding), func(t *testing.T) {
			a2atest.CheckPusher(t, w.Version == a2a.V01, func(t *testing.T, agent *a2atest.Webhooks) a2a.Agent {
				return serve(t, agent, agent.Card())
			})
		})
		t.Run(string(w.Version)+" over "+string(w.Binding)+", through 1.0", func(t *testing.T) {
			a2atest.CheckPusher(t, w.Version == a2a.V01, func(t *testing.T, agent *a2atest.Webhooks) a2a.Agent {
				inner := dial(t, a2atest.Serve(t, agent, agent.Card(), a2a.V10), "")
				return serve(t, inner, agent.Card())
			})
		})
	}
}

// TestAgentThroughATranslator crosses every generation of callers with every
// generation of agents: a server around a client is the translator.
func TestAgentThroughATranslator(t *testing.T) {
	for _, callers := range all {
		for _, agents := range all {
			t.Run("callers of "+string(callers)+" reach an agent of "+string(agents), func(t *testing.T) {
				t.Parallel()
				suite(callers, agents)(t, func(t *testing.T, agent *a2atest.Agent) a2a.Agent {
					inner := dial(t, a2atest.Serve(t, agent, agent.Card(), agents), agents)
					return dial(t, a2atest.Serve(t, inner, agent.Card(), callers), callers)
				})
			})
		}
	}
}

func dial(t *testing.T, url string, g a2a.Generation) *a2aclient.Client {
	t.Helper()
	c, err := (&a2aclient.Dialer{Pause: time.Millisecond, Protocol: g}).Dial(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
