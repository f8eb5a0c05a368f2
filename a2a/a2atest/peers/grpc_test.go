package peers

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	old "github.com/a2aproject/a2a-go/a2a"
	oldgrpc "github.com/a2aproject/a2a-go/a2agrpc"
	oldsrv "github.com/a2aproject/a2a-go/a2asrv"
	grpc03 "github.com/a2aproject/a2a-go/v2/a2agrpc/v0"
	grpc10 "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"google.golang.org/grpc"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2agrpc"
	"rialto/a2a/a2aserver"
	"rialto/a2a/a2atest"
	"rialto/a2a/a2atest/interop"
	"rialto/a2a/a2atest/tour"
)

// dialer speaks every binding.
func dialer(t *testing.T) *a2aclient.Dialer {
	over := &a2agrpc.Transport{}
	t.Cleanup(func() { over.Close() })
	return &a2aclient.Dialer{Pause: 10 * time.Millisecond, IdleTimeout: time.Second, GRPC: over}
}

// serveOver is a2atest.ServeOver, and over gRPC, too.
func serveOver(t *testing.T, agent a2a.Agent, card *a2a.Card, w way) string {
	if w.binding != a2a.GRPC {
		return a2atest.ServeOver(t, agent, card, w.binding, w.generation)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := *card
	c.Interfaces = []a2a.Interface{{URL: l.Addr().String(), Binding: a2a.GRPC, Version: w.generation}}
	s := &a2aserver.Server{Agent: agent, Lists: true, Card: &c}
	web := httptest.NewServer(http.HandlerFunc(s.ServeCard))
	t.Cleanup(web.Close)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	stopped := make(chan error, 1)
	calls := &a2agrpc.Server{Handler: http.HandlerFunc(s.ServeGRPC)}
	go func() { stopped <- calls.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
	return web.URL
}

func TestTheOldClientOfA2AGoOverGRPC(t *testing.T) {
	table.Tries(t, oldClientRowGRPC, interop.Send, interop.Stream, interop.Get, interop.Error)
	agent := scripted(t)
	testOldClient(t, oldClient(t, serveOver(t, agent, agent.Card(), way{a2a.GRPC, a2a.V03})))
}

// theirGRPC serves handler as a2a-go does and returns the host and port, which
// is what its cards call the URL.
func theirGRPC(t *testing.T, g a2a.Generation, handler a2asrv.RequestHandler) string {
	return serveGRPC(t, func(s *grpc.Server) {
		if g == a2a.V03 {
			grpc03.NewHandler(handler).RegisterWith(s)
			return
		}
		grpc10.NewHandler(handler).RegisterWith(s)
	})
}

func serveGRPC(t *testing.T, register func(*grpc.Server)) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	register(s)
	go s.Serve(l)
	t.Cleanup(s.Stop)
	return l.Addr().String()
}

// oldGRPCServer is that of a2a-go 0.3.15, with the protocol buffers of its time.
func oldGRPCServer(t *testing.T) *a2aclient.Client {
	mux := http.NewServeMux()
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	at := serveGRPC(t, oldgrpc.NewHandler(oldHandler(&tour.Gate{})).RegisterWith)
	mux.Handle(oldsrv.WellKnownAgentCardPath, oldsrv.NewStaticAgentCardHandler(&old.AgentCard{Name: "old", URL: at,
		PreferredTransport: old.TransportProtocolGRPC, Capabilities: old.AgentCapabilities{Streaming: true, PushNotifications: true}}))
	c, err := dialer(t).Dial(t.Context(), web.URL)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTheOldServerOfA2AGoOverGRPC(t *testing.T) {
	table.Tries(t, oldServerRowGRPC, interop.Send, interop.Get, interop.Stream, interop.MultiTurn, interop.Error)
	c := oldGRPCServer(t)
	testOldServer(t, c)
	if got := c.Interface(); got.Binding != a2a.GRPC {
		t.Errorf("ended up over %s, want gRPC", got.Binding)
	}
}

func TestAServerThatIsNotThereIsNotTheAgentsWord(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(`{"name":"gone","supportedInterfaces":[{"url":"127.0.0.1:1","protocolBinding":"GRPC","protocolVersion":"1.0"}]}`))
	}))
	t.Cleanup(web.Close)
	c, err := dialer(t).Dial(t.Context(), web.URL)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Send(deadline(t), a2atest.Say("echo hello"))
	var e *a2a.Error
	if !a2a.Is(err, a2a.Unavailable) || errors.As(err, &e) && e.Remote {
		t.Errorf("got %#v, want that it is not reached", err)
	}
}
