package a2ajs

import (
	"context"
	"errors"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2agrpc"
	"rialto/a2a/a2apush"
	"rialto/a2a/a2aserver"
	"rialto/a2a/a2atest"
	"rialto/a2a/a2atest/interop"
	"rialto/cmd/rialto/internal/e2e"
	"rialto/internal/safehttp"
)

// notifier is the scripted agent, which keeps webhooks, and tells the one that
// comes with a message how its task ended.
type notifier struct {
	*a2atest.Webhooks
	t      *testing.T
	sender *a2apush.Sender
}

func (n notifier) Send(ctx context.Context, req *a2a.SendRequest) (a2a.Event, error) {
	e, err := n.Agent.Send(ctx, req)
	if task, ok := e.(*a2a.Task); ok && req.Push != nil {
		if err := n.sender.Deliver(ctx, req.Push, task, "n"); err != nil {
			n.t.Errorf("telling the webhook: %v", err)
		}
	}
	return e, err
}

func (n notifier) Stream(ctx context.Context, req *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
	return n.Agent.Stream(ctx, req)
}

// ours serves the scripted agent as a card with p's interface has it, and
// returns where, and where it lets what waits go on.
func (p peer) ours(t *testing.T) (url, release string) {
	t.Helper()
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	card := agent.Card()
	card.Capabilities.PushNotifications = true
	s := &a2aserver.Server{Agent: notifier{&a2atest.Webhooks{Agent: agent}, t, &a2apush.Sender{HTTP: &safehttp.Client{Loopback: true}, Now: time.Now}}, Lists: true, Card: card}
	mux := http.NewServeMux()
	mux.Handle("/", s)
	mux.HandleFunc("POST /release", func(http.ResponseWriter, *http.Request) { agent.Release() })
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	at := web.URL
	if p.binding == a2a.GRPC {
		at = serveGRPC(t, s)
	}
	if p.generation != a2a.V02 { // its SDK reads what such a card says for 0.3
		card.Interfaces = []a2a.Interface{{URL: at, Binding: p.binding, Version: p.generation}}
	}
	s.URL = web.URL
	return web.URL, web.URL + "/release"
}

// serveGRPC serves s over gRPC and returns the host and port, which is what
// cards call the URL.
func serveGRPC(t *testing.T, s *a2aserver.Server) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
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
	return l.Addr().String()
}

// misread is why their client does not understand some answers over HTTP+JSON.
const misread = "Its client takes the task of JSON-RPC for that of HTTP+JSON (a2a-js#291), and only bodies say so, which these calls lack; fixed in 0.3.8."

// TestTheirClients lets each of their clients use everything with
// our server.
func TestTheirClients(t *testing.T) {
	scripts := map[string]string{"0.2.5": "client02.mjs", "0.3.7": "client037.mjs", "0.3.14": "client03.mjs", "1.3.0": "client10.mjs"}
	for _, p := range peers() {
		t.Run(p.String(), func(t *testing.T) {
			node, err := e2e.Node("../node")
			e2e.Need(t, err)
			url, release := p.ours(t)
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			cmd := exec.CommandContext(ctx, node, "peers/"+scripts[p.version])
			cmd.Dir = "../node"
			cmd.Env = append(os.Environ(), "RIALTO_URL="+url, "RIALTO_RELEASE="+release, "RIALTO_GENERATION="+string(p.generation), "RIALTO_BINDING="+string(p.binding))
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if p.version == "0.3.7" && p.binding == a2a.HTTPJSON {
				table.Without(p.row("server", "client"), "Its client takes a list of webhooks for an array, which HTTP+JSON has not; that of 0.3.14 does not.", interop.Push)
			}
			for _, f := range []interop.Feature{interop.Send, interop.Stream, interop.MultiTurn, interop.Get, interop.Cancel, interop.Resubscribe, interop.Push, interop.Error} {
				if p.version == "0.3.7" && p.binding == a2a.HTTPJSON && (f == interop.Get || f == interop.Cancel || f == interop.Resubscribe) {
					table.Without(p.row("server", "client"), misread, f)
					continue
				}
				t.Run(string(f), func(t *testing.T) {
					table.Tries(t, p.row("server", "client"), f)
					if !strings.Contains(string(out), `"step":"`+string(f)+`"`) {
						t.Errorf("it did not get so far, %v:\n%s", err, out)
					}
				})
			}
		})
	}
}
