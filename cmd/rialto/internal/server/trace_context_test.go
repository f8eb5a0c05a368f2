package server

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	oteltrace "go.opentelemetry.io/otel/trace"

	"rialto/a2a"
	"rialto/a2a/a2agrpc"
	"rialto/a2a/a2aserver"
	"rialto/a2a/a2atest"
	"rialto/cmd/rialto/internal/config"
	"rialto/oauth"
)

// recorded returns h with the headers of the calls to it. Metadata of gRPC are headers there.
func recorded(h http.HandlerFunc) (http.Handler, <-chan http.Header) {
	calls := make(chan http.Header, 100)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			calls <- r.Header.Clone()
		}
		h(w, r)
	}), calls
}

// recordingAgents are an agent over HTTP and one over gRPC, and what headers they receive.
func recordingAgents(t *testing.T) (overHTTP, overGRPC string, ofHTTP, ofGRPC <-chan http.Header) {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serve := func(w a2a.Binding, url string) (*a2aserver.Server, *httptest.Server, <-chan http.Header) {
		card := agent.Card()
		s := &a2aserver.Server{Agent: agent, Card: card}
		h, calls := recorded(s.ServeHTTP)
		web := httptest.NewServer(h)
		t.Cleanup(web.Close)
		if s.URL = web.URL; url == "" {
			url = web.URL
		}
		card.Interfaces = []a2a.Interface{{URL: url, Binding: w, Version: a2a.V10}}
		return s, web, calls
	}
	_, web, ofHTTP := serve(a2a.JSONRPC, "")
	s, cards, _ := serve(a2a.GRPC, l.Addr().String())
	h, ofGRPC := recorded(s.ServeGRPC)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	stopped := make(chan error, 1)
	go func() { stopped <- (&a2agrpc.Server{Handler: h}).Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
	return web.URL, cards.URL, ofHTTP, ofGRPC
}

// TestAgentsReceiveTheTrace calls an agent over HTTP and one over gRPC through each door, with a trace and baggage in the
// headers. The trace goes all the way; the baggage of a stranger does not.
func TestAgentsReceiveTheTrace(t *testing.T) {
	t.Setenv("OTEL_PROPAGATORS", "tracecontext,baggage")
	overHTTP, overGRPC, ofHTTP, ofGRPC := recordingAgents(t)
	o := newObserved(t, func(c *config.Config) {
		c.Agents = []config.Agent{{Name: "http", URL: overHTTP}, {Name: "grpc", URL: overGRPC}}
		c.Calls.DefaultAgent, c.Serving.GRPC.Listen = "grpc", "127.0.0.1:0"
	})
	headers := []string{"traceparent: 00-" + callersTrace + "-b7ad6b7169203331-00", "baggage: user=alice"}
	full := o.full("alice")
	send := func(b a2a.Binding) func(agent string) {
		return func(agent string) {
			say := a2atest.Say("echo hello")
			say.Message.ID = string(b) // each call is a task
			if _, err := o.client("/a2a/"+agent, full, a2a.V10, b, headers...).Send(t.Context(), say); err != nil {
				t.Error(err)
			}
		}
	}
	for name, door := range map[string]struct {
		spans []string // of the server
		call  func(agent string)
	}{
		"MCP": {[]string{"POST /mcp/tools/call", "tools/call send_task"}, func(agent string) {
			o.do("POST", "/mcp/tools/call", o.token("alice", oauth.ScopeTools), `{"name":"send_task","arguments":{"agent":"`+agent+`","message":"echo hello"}}`, headers...)
		}},
		"REST": {[]string{"POST /api/v1/agents/{agent}/tasks"}, func(agent string) {
			o.do("POST", "/api/v1/agents/"+agent+"/tasks", full, `{"message":"echo hello","wait":20}`, headers...)
		}},
		"A2A over JSON-RPC":  {[]string{"POST /a2a/", "SendMessage"}, send(a2a.JSONRPC)},
		"A2A over HTTP+JSON": {[]string{"POST /a2a/", "SendMessage"}, send(a2a.HTTPJSON)},
		"A2A over gRPC":      {[]string{"POST /{service}/{method}", "SendMessage"}, send(a2a.GRPC)},
	} {
		for agent, received := range map[string]<-chan http.Header{"http": ofHTTP, "grpc": ofGRPC} {
			t.Run(name+" to "+agent, func(t *testing.T) {
				o.spans.Reset()
				door.call(agent)
				h := http.Header{}
				select {
				case h = <-received:
				default:
				}
				if !strings.HasPrefix(h.Get("Traceparent"), "00-"+callersTrace+"-") || h.Get("Baggage") != "" {
					t.Errorf("the agent received traceparent %q and baggage %q, want the caller's trace alone", h.Get("Traceparent"), h.Get("Baggage"))
				}
				spans, parent := o.ended(oteltrace.SpanKindServer, door.spans...), "b7ad6b7169203331"
				for _, span := range door.spans {
					if got := spans[span]; got.Parent.SpanID().String() != parent || got.SpanContext.TraceID().String() != callersTrace {
						t.Errorf("got %s of %+v, want it below %s", span, names(spans), parent)
					}
					parent = spans[span].SpanContext.SpanID().String()
				}
			})
		}
	}
}

func names(spans map[string]tracetest.SpanStub) (all []string) {
	for name, s := range spans {
		all = append(all, name+" below "+s.Parent.SpanID().String())
	}
	return all
}
