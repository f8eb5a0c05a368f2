package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	otel "go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	oteltrace "go.opentelemetry.io/otel/trace"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/bridge/documents"
	"rialto/bridge/operator"
	"rialto/cmd/rialto/internal/config"
	"rialto/cmd/rialto/internal/telemetry"
	"rialto/mcp"
	"rialto/oauth"
)

// observed is a rig whose spans and metrics are kept in memory.
type observed struct {
	*rig
	spans   *tracetest.InMemoryExporter
	metrics *metric.ManualReader
}

func newObserved(t *testing.T, set ...func(*config.Config)) *observed {
	return newObservedLogging(t, slog.New(slog.DiscardHandler), set...)
}

func newObservedLogging(t *testing.T, log *slog.Logger, set ...func(*config.Config)) *observed {
	o := &observed{spans: tracetest.NewInMemoryExporter(), metrics: metric.NewManualReader()}
	to, err := telemetry.New(t.Context(), "test", telemetry.Exporters{Spans: trace.NewSimpleSpanProcessor(o.spans), Readers: []metric.Reader{o.metrics}})
	if err != nil {
		t.Fatal(err)
	}
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	url := a2atest.Serve(t, agent, agent.Card(), a2a.V10)
	o.rig = startRig(t, log, to, func(c *config.Config) {
		c.Agents = []config.Agent{{Name: "one", URL: url}}
		for _, set := range set {
			set(c)
		}
	})
	return o
}

// ended returns the spans of a kind so far, by name. It waits for those that are named: a client can
// have its answer before the span of its call ends.
func (o *observed) ended(kind oteltrace.SpanKind, names ...string) map[string]tracetest.SpanStub {
	o.t.Helper()
	all := map[string]tracetest.SpanStub{}
	poll(o.t, time.Millisecond, func() bool {
		for _, s := range o.spans.GetSpans() {
			if s.SpanKind == kind {
				all[s.Name] = s
			}
		}
		return !slices.ContainsFunc(names, func(name string) bool { return all[name].Name == "" })
	}, func() string { return fmt.Sprintf("got spans %q, want %q", slices.Collect(keysOf(all)), names) })
	return all
}

// attributes returns the attributes of a span as KEY=VALUE.
func attributes(all []otel.KeyValue) (lines []string) {
	for _, a := range all {
		lines = append(lines, string(a.Key)+"="+a.Value.String())
	}
	return lines
}

// call calls a tool with more members of params.
func (o *observed) call(tool, arguments, meta string) reply {
	o.t.Helper()
	return o.callAs(o.token("alice", oauth.ScopeTools), tool, arguments, meta)
}

func (o *observed) callAs(token, tool, arguments, meta string) reply {
	o.t.Helper()
	return o.do("POST", "/mcp", token, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+arguments+
		`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`+meta+`}}}`,
		"Accept: application/json, text/event-stream", "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: "+tool)
}

const callersTrace = "0af7651916cd43dd8448eb211c80319c"

// TestACallIsTraced follows a call from the caller's trace to the agent: the span of the tool is a child of the
// caller's, its HTTP request is a link, and the call to the agent is a child.
func TestACallIsTraced(t *testing.T) {
	o := newObserved(t)
	if got := o.call("send_task", `{"agent":"one","message":"echo hello"}`, `,"traceparent":"00-`+callersTrace+`-b7ad6b7169203331-00","baggage":"user=alice"`); got.status != http.StatusOK {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	server := o.ended(oteltrace.SpanKindServer, "tools/call send_task", "POST /mcp")
	client := o.ended(oteltrace.SpanKindClient, "SendStreamingMessage")
	tool, http := server["tools/call send_task"], server["POST /mcp"]
	if got := tool.SpanContext.TraceID().String(); got != callersTrace || tool.Parent.SpanID().String() != "b7ad6b7169203331" {
		t.Errorf("got trace %s, parent %s, want the caller's", got, tool.Parent.SpanID())
	}
	if len(tool.Links) != 1 || tool.Links[0].SpanContext.SpanID() != http.SpanContext.SpanID() {
		t.Errorf("got links %+v, want the span of the HTTP request", tool.Links)
	}
	for _, want := range []string{"mcp.method.name=tools/call", "mcp.protocol.version=2026-07-28", "gen_ai.tool.name=send_task", "gen_ai.operation.name=execute_tool", "jsonrpc.request.id=7"} {
		if got := attributes(tool.Attributes); !slices.Contains(got, want) {
			t.Errorf("got %q, want %s", got, want)
		}
	}
	o.mcp(o.token("alice", oauth.ScopeTools), "resources/read", object{"uri": "skill://rialto/use-agents/SKILL.md"})
	if got := attributes(o.ended(oteltrace.SpanKindServer, "resources/read")["resources/read"].Attributes); !slices.Contains(got, "mcp.resource.uri=skill://rialto/use-agents/SKILL.md") {
		t.Errorf("got %q, want the URI of the resource", got)
	}
	for _, want := range []string{"http.request.method=POST", "http.route=/mcp", "http.response.status_code=200"} {
		if got := attributes(http.Attributes); !slices.Contains(got, want) {
			t.Errorf("got %q, want %s", got, want)
		}
	}
	call := client["SendStreamingMessage"]
	if got := call.SpanContext.TraceID().String(); got != callersTrace {
		t.Errorf("got trace %s, want the caller's", got)
	}
	for _, want := range []string{"a2a.method.name=SendStreamingMessage", "a2a.protocol.version=1.0", "gen_ai.agent.id=one", "a2a.task.state=TASK_STATE_COMPLETED", "server.address=127.0.0.1"} {
		if got := attributes(call.Attributes); !slices.Contains(got, want) {
			t.Errorf("got %q, want %s", got, want)
		}
	}
}

func keysOf[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// TestErrorsOfCallsAreTold checks error.type and the status of spans.
func TestErrorsOfCallsAreTold(t *testing.T) {
	o := newObserved(t)
	o.call("send_task", `{"agent":"none","message":"hello"}`, "")
	tool := o.ended(oteltrace.SpanKindServer, "tools/call send_task")["tools/call send_task"]
	if got := attributes(tool.Attributes); !slices.Contains(got, "error.type=tool_error") || tool.Status.Code == codes.Error {
		t.Errorf("got %q, status %v, want tool_error and no error status", got, tool.Status)
	}
	o.spans.Reset()
	o.call("no_such_tool", `{}`, `,"traceparent":"nonsense"`)
	span := o.ended(oteltrace.SpanKindServer, "tools/call")["tools/call"]
	if got := attributes(span.Attributes); !slices.Contains(got, "error.type=-32602") || !slices.Contains(got, "rpc.response.status_code=-32602") || span.Status.Code == codes.Error {
		t.Errorf("got %q, status %v, want -32602 and no error status", got, span.Status)
	}
}

// TestAPanicIsTraced makes a request panic. Its span did not end, and it was neither measured nor logged.
func TestAPanicIsTraced(t *testing.T) {
	var logged bytes.Buffer
	o := newObservedLogging(t, slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})), func(c *config.Config) { c.MCP.PublicListing = true })
	o.bodies.oauth = noAddress{}
	if got := o.do("GET", "/mcp/resources/list", "", "", "X-Request-Id: the-id"); got.status != http.StatusInternalServerError {
		t.Errorf("got %d %s, want 500", got.status, got.body)
	}
	if got := o.ended(oteltrace.SpanKindServer, "GET /mcp/resources/list"); got["GET /mcp/resources/list"].Status.Code != codes.Error {
		t.Errorf("got %+v, want a span with an error", got)
	}
	o.measured("http.server.request.duration", "http.request.method=GET http.response.status_code=500 http.route=/mcp/resources/list url.scheme=http 1")
	o.bodies.oauth = o.oauth
	o.Server.mcp.MoreResources = noPage{}
	o.do("GET", "/mcp/resources/list", "", "", "X-Request-Id: the-id")
	for _, want := range []string{"msg=panic", "msg=\"mcp request failed\"", "msg=request method=GET path=/mcp/resources/list status=500"} {
		if !slices.ContainsFunc(strings.Split(logged.String(), "\n"), func(line string) bool {
			return strings.Contains(line, want) && strings.Contains(line, "request_id=the-id") && strings.Contains(line, "trace_id=")
		}) {
			t.Errorf("got %s, want %s with the IDs", logged.String(), want)
		}
	}
}

// noPage lists no resources.
type noPage struct{}

func (noPage) ListResources(context.Context, string) ([]mcp.Resource, error) {
	return nil, errors.New("no page")
}

// TestNeitherLogsNorSpansHoldSecrets sends secrets to each kind of endpoint, and looks for them in all that is
// logged and traced.
func TestNeitherLogsNorSpansHoldSecrets(t *testing.T) {
	t.Setenv("ONE_TOKEN", "secret-of-the-agent")
	var logged bytes.Buffer
	o := newObservedLogging(t, slog.New(slog.NewJSONHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})), func(c *config.Config) {
		c.Agents[0].Credentials.Env = "ONE_TOKEN"
	})
	token := o.token("alice", oauth.ScopeTools)
	o.do("POST", "/mcp", token, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_task","arguments":{"agent":"one","message":"echo secret-message"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
		"Accept: application/json, text/event-stream", "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: send_task")
	form := "Content-Type: application/x-www-form-urlencoded"
	o.do("POST", "/token", "", "grant_type=authorization_code&code=secret-code&code_verifier=secret-verifier&client_id=none", form)
	o.do("POST", "/token", "", "grant_type=refresh_token&refresh_token=secret-refresh&client_id=none&client_secret=secret-client", form)
	o.do("GET", "/account/callback?code=secret-code&state=secret-state", "", "", "Cookie: session=secret-cookie")
	o.do("POST", "/account/login", "", "name=alice&password=secret-password", form)
	o.do("GET", documents.SharedPath+"secret-share", "", "")
	o.do("GET", documents.DownloadPath+"secret-download", "", "")
	o.do("POST", "/mcp", "secret-bearer", `{}`)
	link, err := o.operator.SignInLink(t.Context(), operator.CommandLine, "alice")
	if err != nil {
		t.Fatal(err)
	}
	o.do("GET", "/signin?link=secret-link", "", "")
	o.do("GET", strings.TrimPrefix(link, o.cfg.Load().URL), "", "")
	_, linkToken, _ := strings.Cut(link, "=")
	all := []string{logged.String()}
	for _, s := range o.spans.GetSpans() {
		all = append(all, append(attributes(s.Attributes), s.Name, s.Status.Description)...)
	}
	for _, line := range all {
		if strings.Contains(line, "secret-") || strings.Contains(line, token) || strings.Contains(line, linkToken) {
			i := max(0, strings.Index(line, "secret-")-200)
			t.Errorf("got ...%.400s", line[i:])
		}
	}
	if !strings.Contains(logged.String(), "request_id") || !strings.Contains(logged.String(), "trace_id") {
		t.Errorf("got %.400s, want lines with request_id and trace_id", logged.String())
	}
}

func readAll(t *testing.T, resp *http.Response) string {
	t.Helper()
	defer resp.Body.Close()
	var b strings.Builder
	if err := resp.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestAResumedTaskIsLinked restarts the server while a task runs: the task goes on in a new trace with a link
// to that of its message.
func TestAResumedTaskIsLinked(t *testing.T) {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	dir, url := t.TempDir(), a2atest.Serve(t, agent, agent.Card(), a2a.V10)
	set := func(c *config.Config) {
		c.Storage.Database, c.Storage.SecretFile = filepath.Join(dir, "rialto.db"), filepath.Join(dir, "rialto.key")
		c.Agents = []config.Agent{{Name: "one", URL: url}}
	}
	t.Run("before the restart", func(t *testing.T) {
		o := newObserved(t, set)
		if got := o.call("send_task", `{"agent":"one","message":"hang","wait":1}`, `,"traceparent":"00-`+callersTrace+`-b7ad6b7169203331-01"`); got.status != http.StatusOK {
			t.Fatalf("got %d %s", got.status, got.body)
		}
	})
	spans := tracetest.NewSpanRecorder()
	called := make(chan struct{})
	to, err := telemetry.New(t.Context(), "test", telemetry.Exporters{Spans: whenCalled{spans, sync.OnceFunc(func() { close(called) })}})
	if err != nil {
		t.Fatal(err)
	}
	cfg := config.Demo(dir)
	set(cfg)
	s, err := assemble(t.Context(), cfg, slog.New(slog.DiscardHandler), to)
	if err != nil {
		t.Fatal(err)
	}
	s.start(t.Context())
	select {
	case <-called:
	case <-time.After(30 * time.Second):
		t.Error("the agent was not called")
	}
	s.Close()
	for _, span := range spans.Ended() {
		if span.Name() != "resume task" {
			continue
		}
		if len(span.Links()) != 1 || span.Links()[0].SpanContext.TraceID().String() != callersTrace || span.SpanContext().TraceID().String() == callersTrace {
			t.Errorf("got %+v, want a trace of its own with a link to the caller's", span)
		}
		return
	}
	t.Errorf("got %v, want a span of the resumed task", spans.Ended())
}

// whenCalled notes that a call to an agent has ended.
type whenCalled struct {
	trace.SpanProcessor
	called func()
}

func (p whenCalled) OnEnd(s trace.ReadOnlySpan) {
	p.SpanProcessor.OnEnd(s)
	if s.SpanKind() == oteltrace.SpanKindClient && s.Name() == "GetTask" {
		p.called()
	}
}

// emitted keeps the names of the events that are exported as logs.
type emitted chan string

func (e emitted) OnEmit(_ context.Context, r *sdklog.Record) error {
	r.WalkAttributes(func(a otel.KeyValue) bool {
		if a.Key == "kind" {
			e <- a.Value.AsString()
		}
		return true
	})
	return nil
}

func (emitted) Enabled(context.Context, sdklog.EnabledParameters) bool { return true }
func (emitted) Shutdown(context.Context) error                         { return nil }
func (emitted) ForceFlush(context.Context) error                       { return nil }

// TestTheAuditLogGoesToTheCollector checks that an event is exported as it happens.
func TestTheAuditLogGoesToTheCollector(t *testing.T) {
	events := make(emitted, 100)
	to, err := telemetry.New(t.Context(), "test", telemetry.Exporters{Logs: events})
	if err != nil {
		t.Fatal(err)
	}
	startRig(t, slog.New(slog.DiscardHandler), to, func(c *config.Config) { c.Audit.Stream = config.StreamOTLP })
	select {
	case got := <-events:
		if got != "settings.changed" {
			t.Errorf("got %s, want the event of the start", got)
		}
	case <-time.After(10 * time.Second):
		t.Error("no event was exported")
	}
}

// TestSchemeOfProxies sends requests that say they came over https, through a proxy that is trusted and one that is not.
func TestSchemeOfProxies(t *testing.T) {
	for proxies, want := range map[string]string{"127.0.0.1/32": "https", "192.0.2.0/24": "http"} {
		o := newObserved(t, func(c *config.Config) { c.TrustedProxies = []string{proxies} })
		o.do("GET", "/livez", "", "", "X-Forwarded-Proto: https")
		if got := attributes(o.ended(oteltrace.SpanKindServer, "GET /livez")["GET /livez"].Attributes); !slices.Contains(got, "url.scheme="+want) {
			t.Errorf("trusting %s: got %q, want %s", proxies, got, want)
		}
	}
}

// noAddress panics.
type noAddress struct{}

func (noAddress) Address(*http.Request) string { panic("boom") }
