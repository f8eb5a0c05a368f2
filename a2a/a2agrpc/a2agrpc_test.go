package a2agrpc_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2agrpc"
	"rialto/a2a/a2aserver"
	"rialto/a2a/a2atest"
)

// serve serves agent over gRPC in one generation, with its card over HTTP, and
// returns a client of it.
func serve(t *testing.T, agent *a2atest.Agent, g a2a.Generation) *a2aclient.Client {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	card := *agent.Card()
	card.Interfaces = []a2a.Interface{{URL: l.Addr().String(), Binding: a2a.GRPC, Version: g}}
	s := &a2aserver.Server{Agent: agent, Lists: true, Card: &card}
	web := httptest.NewServer(http.HandlerFunc(s.ServeCard))
	t.Cleanup(web.Close)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	stopped := make(chan error, 1)
	calls := &a2agrpc.Server{Handler: http.HandlerFunc(s.ServeGRPC), Path: func(string) string { return "" }}
	go func() { stopped <- calls.Serve(ctx, l) }()
	over := &a2agrpc.Transport{}
	t.Cleanup(func() {
		over.Close()
		stop()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
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
