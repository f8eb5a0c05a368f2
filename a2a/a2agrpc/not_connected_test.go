package a2agrpc_test

import (
	"errors"
	"net"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2agrpc"
	"rialto/a2a/a2atest"
)

// TestAMessageWithoutAConnectionIsNotSent has an agent that refuses connections: the message
// certainly did not arrive, so it may be sent again.
func TestAMessageWithoutAConnectionIsNotSent(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for _, binding := range []a2a.Binding{a2a.JSONRPC, a2a.HTTPJSON, a2a.GRPC} {
		t.Run(string(binding), func(t *testing.T) {
			over := &a2agrpc.Transport{}
			defer over.Close()
			agent := a2atest.NewAgent()
			defer agent.Close()
			card := agent.Card()
			card.Interfaces = []a2a.Interface{{URL: "http://" + closed.Addr().String(), Binding: binding, Version: a2a.V10}}
			client, err := (&a2aclient.Dialer{GRPC: over}).Dial(t.Context(), a2atest.Serve(t, agent, card))
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.Send(t.Context(), a2atest.Say("x"))
			e, ok := errors.AsType[*a2a.Error](err)
			if !ok || !e.NotSent || !errors.Is(err, a2a.ErrNotConnected) {
				t.Errorf("got %v, want that it was not sent", err)
			}
		})
	}
}
