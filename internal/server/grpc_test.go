package server

import (
	"errors"
	"net"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/internal/config"
	"rialto/oauth"
)

// newGRPCRig serves agents over gRPC, too.
func newGRPCRig(t *testing.T, primary string, agents ...config.Agent) *rig {
	return newRigWith(t, func(c *config.Config) {
		c.Agents, c.DefaultAgent, c.GRPC.Listen = agents, primary, "127.0.0.1:0"
	})
}

func TestEveryGenerationIsReachedOverGRPC(t *testing.T) {
	agents, _ := agentsOf(t)
	r := newGRPCRig(t, name(a2a.V10), agents...)
	for _, g := range generations {
		t.Run("1.0 to "+string(g), func(t *testing.T) {
			cross(t, r.client(config.AgentPath+name(g), r.full("alice"), a2a.V10, a2a.GRPC), "grpc 1.0")
		})
	}
	t.Run("0.3 to the primary agent", func(t *testing.T) {
		cross(t, r.client("", r.full("bob"), a2a.V03, a2a.GRPC), "grpc 0.3")
	})
}

func TestGRPCIsGuarded(t *testing.T) {
	agents, _ := agentsOf(t)
	r := newGRPCRig(t, name(a2a.V10), agents...)
	of := func(token string) a2a.Agent {
		return r.client(config.AgentPath+name(a2a.V10), token, a2a.V10, a2a.GRPC)
	}
	e, err := of(r.full("alice")).Send(t.Context(), a2atest.Say("echo hello"))
	if err != nil {
		t.Fatal(err)
	}
	id := e.(*a2a.Task).ID
	_, notTheirs := of(r.full("bob")).Task(t.Context(), a2a.TaskQuery{ID: id})
	_, mayOnlySee := of(r.token("alice", oauth.ScopeDiscover)).Send(t.Context(), a2atest.Say("echo hello"))
	_, noScope := of(r.token("alice", oauth.ScopeTools)).Task(t.Context(), a2a.TaskQuery{ID: id})
	_, nobody := of("none").Task(t.Context(), a2a.TaskQuery{ID: id})
	for _, c := range []struct {
		err  error
		want a2a.Code
	}{
		{notTheirs, a2a.TaskNotFound}, {mayOnlySee, a2a.Forbidden}, {noScope, a2a.Forbidden}, {nobody, a2a.Unauthenticated},
	} {
		var e *a2a.Error
		if !errors.As(c.err, &e) || e.Code != c.want || !e.Remote {
			t.Errorf("got %v, want %s", c.err, c.want)
		} else if c.want == a2a.Unauthenticated && !strings.Contains(e.Challenge, "resource_metadata") {
			t.Errorf("got the challenge %q, which does not say where to log in", e.Challenge)
		}
	}
	if _, err := of(r.token("alice", oauth.ScopeDiscover)).Task(t.Context(), a2a.TaskQuery{ID: id}); err != nil {
		t.Errorf("who may see gets %v", err)
	}
}

func TestCardsNameTheGRPCAddress(t *testing.T) {
	c := config.GRPC{Listen: ":50051"}
	c.ListensOn(&net.TCPAddr{Port: 50051}, "https://rialto.example")
	if got := grpcInterfaces(c, agentAddress{agent: "two"}); len(got) != 1 || got[0].URL != "rialto.example:50051" || got[0].Tenant != "two" {
		t.Errorf("got %+v, want 1.0 alone with its tenant", got)
	}
	if got := grpcInterfaces(c, agentAddress{agent: "one", primary: true}); len(got) != 2 || got[1].Version != a2a.V03 {
		t.Errorf("got %+v, want 0.3, too, for the primary agent", got)
	}
	for _, wrong := range []config.GRPC{{Listen: "here"}, {Listen: ":1", Address: "there"}, {Address: "rialto.example:1"}} {
		if wrong.Check() == nil {
			t.Errorf("%+v was accepted", wrong)
		}
	}
}
