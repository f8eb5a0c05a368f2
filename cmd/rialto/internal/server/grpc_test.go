package server

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	v10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/bridge/directory"
	"rialto/cmd/rialto/internal/config"
	"rialto/oauth"
)

// newGRPCRig serves agents over gRPC, too.
func newGRPCRig(t *testing.T, primary string, agents ...config.Agent) *rig {
	return newRigWith(t, func(c *config.Config) {
		c.Agents, c.Calls.DefaultAgent, c.Serving.GRPC.Listen = agents, primary, "127.0.0.1:0"
	})
}

func TestEveryGenerationIsReachedOverGRPC(t *testing.T) {
	agents, _ := agentsOf(t)
	r := newGRPCRig(t, name(a2a.V10), agents...)
	for _, g := range generations {
		t.Run("1.0 to "+string(g), func(t *testing.T) {
			cross(t, r.client(directory.AgentPath+name(g), r.full("alice"), a2a.V10, a2a.GRPC), "grpc 1.0")
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
		return r.client(directory.AgentPath+name(a2a.V10), token, a2a.V10, a2a.GRPC)
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

// TestGRPCRefusesByTheMetadata has clients without a token that announce a message and never send it.
func TestGRPCRefusesByTheMetadata(t *testing.T) {
	agents, _ := agentsOf(t)
	r := newGRPCRig(t, name(a2a.V10), agents...)
	protocols := &http.Protocols{}
	protocols.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{Protocols: protocols}}
	defer client.CloseIdleConnections()
	for range 60 {
		rest, end := io.Pipe()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+r.cfg.Load().Serving.GRPC.Address+"/lf.a2a.v1.A2AService/SendMessage",
			io.MultiReader(strings.NewReader("\x00\x00\x30\x00\x00"), rest))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/grpc")
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if got := resp.Header.Get("Grpc-Status") + resp.Trailer.Get("Grpc-Status"); got != "16" {
			t.Errorf("got the status %q, want UNAUTHENTICATED", got)
		}
		resp.Body.Close()
		end.Close()
	}
}

// TestAnAnswerOverGRPCCountsUntilItIsRead asks for a large task and does not read it.
func TestAnAnswerOverGRPCCountsUntilItIsRead(t *testing.T) {
	agents, _ := agentsOf(t)
	r := newGRPCRig(t, name(a2a.V10), agents...)
	e, err := r.client(directory.AgentPath+name(a2a.V10), r.full("alice"), a2a.V10, a2a.GRPC).Send(t.Context(), a2atest.Say("echo "+strings.Repeat("x", 15<<17)))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := grpc.NewClient(r.cfg.Load().Serving.GRPC.Address, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithStaticStreamWindowSize(64<<10))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+r.full("alice"))
	call, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, v10.A2AService_GetTask_FullMethodName, grpc.MaxCallRecvMsgSize(16<<20))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(call.SendMsg(&v10.GetTaskRequest{Tenant: name(a2a.V10), Id: string(e.(*a2a.Task).ID)}), call.CloseSend()); err != nil {
		t.Fatal(err)
	}
	if _, err := call.Header(); err != nil {
		t.Fatal(err)
	}
	counted := r.bodies.held.All()
	if counted < 3<<20 {
		t.Errorf("got %d bytes that count, want 3 MiB or more", counted)
	}
	if err := call.RecvMsg(&v10.Task{}); err != nil {
		t.Error(err)
	}
}

// TestAPageFitsAGRPCMessage lists tasks that are too large for one message of 4 MiB.
func TestAPageFitsAGRPCMessage(t *testing.T) {
	agents, _ := agentsOf(t)
	r := newGRPCRig(t, name(a2a.V10), agents...)
	c := r.client(directory.AgentPath+name(a2a.V10), r.full("alice"), a2a.V10, a2a.GRPC)
	for n := range 5 {
		long := a2atest.Say("echo " + strings.Repeat("x", 1<<20))
		long.Message.ID = strconv.Itoa(n)
		if n == 4 {
			long = a2atest.Say("echo " + strings.Repeat("x", 15<<17)) // a task that is too large alone
		}
		if _, err := c.Send(t.Context(), long); err != nil {
			t.Fatal(err)
		}
	}
	seen := 0
	for f := (a2a.TaskFilter{Artifacts: true}); ; {
		page, err := c.Tasks(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(page)
		if err != nil || len(text) > 4<<20 {
			t.Errorf("got a page of %d bytes, %v, want 4 MiB at most", len(text), err)
		}
		seen += len(page.Tasks)
		if f.PageToken = page.Next; f.PageToken == "" {
			break
		}
	}
	if seen != 5 {
		t.Errorf("got %d tasks, want 5", seen)
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
