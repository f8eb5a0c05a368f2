package peers

import (
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
	"rialto/a2a/a2atest"
)

// dialer speaks every binding.
func dialer(t *testing.T) *a2aclient.Dialer {
	over := &a2agrpc.Transport{}
	t.Cleanup(func() { over.Close() })
	return &a2aclient.Dialer{Pause: 10 * time.Millisecond, GRPC: over}
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
	at := serveGRPC(t, oldgrpc.NewHandler(oldsrv.NewHandler(oldExecutor{})).RegisterWith)
	mux.Handle(oldsrv.WellKnownAgentCardPath, oldsrv.NewStaticAgentCardHandler(&old.AgentCard{Name: "old", URL: at,
		PreferredTransport: old.TransportProtocolGRPC, Capabilities: old.AgentCapabilities{Streaming: true}}))
	c, err := dialer(t).Dial(t.Context(), web.URL)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTheOldServerOfA2AGoOverGRPC(t *testing.T) {
	c := oldGRPCServer(t)
	testOldServer(t, c)
	if got := c.Interface(); got.Binding != a2a.GRPC {
		t.Errorf("ended up over %s, want gRPC", got.Binding)
	}
}

func TestAServerThatIsNotThereIsNotTheAgentsWord(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte(`{"name":"gone","supportedInterfaces":[{"url":"` + l.Addr().String() + `","protocolBinding":"GRPC","protocolVersion":"1.0"}]}`))
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
