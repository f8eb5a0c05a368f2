package a2agrpc_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2aserver"
	"rialto/a2a/a2atest"
)

// serve serves agent over gRPC in one generation, with its card over HTTP, and
// returns a client of it.
func serve(t *testing.T, agent *a2atest.Agent, g a2a.Generation) *a2aclient.Client {
	t.Helper()
	s := &a2aserver.Server{Agent: agent, Lists: true}
	over, address := carrier(t, s.ServeGRPC)
	card := *agent.Card()
	card.Interfaces = []a2a.Interface{{URL: address, Binding: a2a.GRPC, Version: g}}
	s.Card = &card
	web := httptest.NewServer(http.HandlerFunc(s.ServeCard))
	t.Cleanup(web.Close)
	c, err := (&a2aclient.Dialer{Pause: time.Millisecond, GRPC: over}).Dial(t.Context(), web.URL)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAgentOverGRPC(t *testing.T) {
	for g, lost := range map[a2a.Generation][]string{
		// Numbers are doubles.
		a2a.V10: {"parts of every kind survive the trip"},
		// A history of 0 messages is a whole one in 0.3.
		a2a.V03: {"parts of every kind survive the trip", "history is cut as asked"},
	} {
		t.Run(string(g), func(t *testing.T) {
			a2atest.TestAgent(t, func(t *testing.T, agent *a2atest.Agent) a2a.Agent {
				c := serve(t, agent, g)
				if got := c.Interface(); got.Version != g || got.Binding != a2a.GRPC {
					t.Errorf("speaking %s over %s, want %s over gRPC", got.Version, got.Binding, g)
				}
				return c
			}, lost...)
		})
	}
}

func TestListingOverGRPC(t *testing.T) {
	a2atest.TestLister(t, func(t *testing.T, agent *a2atest.Agent) a2a.Agent { return serve(t, agent, a2a.V10) })
}
