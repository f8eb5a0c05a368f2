package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	otel "go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	oteltrace "go.opentelemetry.io/otel/trace"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/bridge/documents"
	"rialto/internal/config"
	"rialto/internal/telemetry"
	"rialto/mcp"
	"rialto/oauth"
	"rialto/oauth/oauthtest"
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

// ended returns the spans of a kind so far, by name.
func (o *observed) ended(kind oteltrace.SpanKind) map[string]tracetest.SpanStub {
	all := map[string]tracetest.SpanStub{}
	for _, s := range o.spans.GetSpans() {
		if s.SpanKind == kind {
			all[s.Name] = s
		}
	}
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
	server, client := o.ended(oteltrace.SpanKindServer), o.ended(oteltrace.SpanKindClient)
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
	if got := attributes(o.ended(oteltrace.SpanKindServer)["resources/read"].Attributes); !slices.Contains(got, "mcp.resource.uri=skill://rialto/use-agents/SKILL.md") {
		t.Errorf("got %q, want the URI of the resource", got)
	}
	for _, want := range []string{"http.request.method=POST", "http.route=/mcp", "http.response.status_code=200"} {
		if got := attributes(http.Attributes); !slices.Contains(got, want) {
			t.Errorf("got %q, want %s", got, want)
		}
	}
	call, ok := client["SendStreamingMessage"]
	if !ok || call.SpanContext.TraceID().String() != callersTrace {
		t.Fatalf("got %v, want a span of the call to the agent in the caller's trace", slices.Collect(keysOf(client)))
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
	tool := o.ended(oteltrace.SpanKindServer)["tools/call send_task"]
	if got := attributes(tool.Attributes); !slices.Contains(got, "error.type=tool_error") || tool.Status.Code == codes.Error {
		t.Errorf("got %q, status %v, want tool_error and no error status", got, tool.Status)
	}
	o.spans.Reset()
	o.call("no_such_tool", `{}`, `,"traceparent":"nonsense"`)
	span := o.ended(oteltrace.SpanKindServer)["tools/call"]
	if got := attributes(span.Attributes); !slices.Contains(got, "error.type=-32602") || !slices.Contains(got, "rpc.response.status_code=-32602") || span.Status.Code == codes.Error {
		t.Errorf("got %q, status %v, want -32602 and no error status", got, span.Status)
	}
}

// TestAPanicIsTraced makes a request panic. Its span did not end, and it was neither measured nor logged.
func TestAPanicIsTraced(t *testing.T) {
	var logged bytes.Buffer
	o := newObservedLogging(t, slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})), func(c *config.Config) { c.MCP.PublicListing = true })
	o.bodies.address = func(*http.Request) string { panic("boom") }
	if got := o.do("GET", "/mcp/resources/list", "", "", "X-Request-Id: the-id"); got.status != http.StatusInternalServerError {
		t.Errorf("got %d %s, want 500", got.status, got.body)
	}
	if got := o.ended(oteltrace.SpanKindServer); got["GET /mcp/resources/list"].Status.Code != codes.Error {
		t.Errorf("got %+v, want a span with an error", got)
	}
	if got, want := o.series("http.server.request.duration"), "http.request.method=GET http.response.status_code=500 http.route=/mcp/resources/list url.scheme=http 1"; !slices.Contains(got, want) {
		t.Errorf("got %q, want %s", got, want)
	}
	o.bodies.address = o.oauth.Address
	o.Server.mcp.ListResources = func(context.Context, string, string) (*mcp.ResourcePage, error) { return nil, errors.New("no page") }
	o.do("GET", "/mcp/resources/list", "", "", "X-Request-Id: the-id")
	for _, want := range []string{"msg=panic", "msg=\"mcp request failed\"", "msg=request method=GET path=/mcp/resources/list status=500"} {
		if !slices.ContainsFunc(strings.Split(logged.String(), "\n"), func(line string) bool {
			return strings.Contains(line, want) && strings.Contains(line, "request_id=the-id") && strings.Contains(line, "trace_id=")
		}) {
			t.Errorf("got %s, want %s with the IDs", logged.String(), want)
		}
	}
}

// series returns the series of a metric as their attributes.
func (o *observed) series(name string) (lines []string) {
	o.t.Helper()
	var all metricdata.ResourceMetrics
	if err := o.metrics.Collect(o.t.Context(), &all); err != nil {
		o.t.Fatal(err)
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name == name {
				lines = append(lines, seriesOf(m.Data)...)
			}
		}
	}
	return lines
}

func seriesOf(data metricdata.Aggregation) (lines []string) {
	add := func(set otel.Set, value any) {
		lines = append(lines, fmt.Sprint(strings.Join(attributes(set.ToSlice()), " "), " ", value))
	}
	switch d := data.(type) {
	case metricdata.Histogram[float64]:
		for _, p := range d.DataPoints {
			add(p.Attributes, p.Count)
		}
	case metricdata.Sum[int64]:
		for _, p := range d.DataPoints {
			add(p.Attributes, p.Value)
		}
	case metricdata.Gauge[float64]:
		for _, p := range d.DataPoints {
			add(p.Attributes, p.Value)
		}
	case metricdata.Gauge[int64]:
		for _, p := range d.DataPoints {
			add(p.Attributes, p.Value)
		}
	case metricdata.Sum[float64]:
		for _, p := range d.DataPoints {
			add(p.Attributes, p.Value)
		}
	case metricdata.Histogram[int64]:
		for _, p := range d.DataPoints {
			add(p.Attributes, p.Count)
		}
	}
	return lines
}

// TestEachDoorIsMeasured makes one call through each door.
func TestEachDoorIsMeasured(t *testing.T) {
	o := newObserved(t)
	o.call("send_task", `{"agent":"one","message":"echo hello"}`, "")
	full := o.full("alice")
	o.do("POST", "/api/v1/agents/one/tasks", full, `{"message":"echo hello","wait":20}`)
	c := o.client("/a2a/one", full, a2a.V10, a2a.JSONRPC)
	if _, err := c.Send(t.Context(), &a2a.SendRequest{Message: &a2a.Message{ID: "m", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("echo hello")}}}); err != nil {
		t.Fatal(err)
	}
	o.do("POST", "/token", "", "grant_type=refresh_token&refresh_token=none&client_id=none", "Content-Type: application/x-www-form-urlencoded")
	o.do("GET", "/healthz", "", "")
	for name, want := range map[string]string{
		"mcp.server.operation.duration": "gen_ai.operation.name=execute_tool gen_ai.tool.name=send_task mcp.method.name=tools/call mcp.protocol.version=2026-07-28 network.protocol.name=http network.protocol.version=1.1 network.transport=tcp 1",
		"http.server.request.duration":  "http.request.method=POST http.response.status_code=200 http.route=/mcp url.scheme=http 1",
		"rialto.agent.call.duration":    "a2a.method.name=SendStreamingMessage agent=one 3",
		"rialto.oauth.tokens":           "oauth.grant_type=refresh_token outcome=invalid_client 1",
		"rialto.build.info":             "version=test 1",
		"rialto.usage.dropped":          " 0",
		"rialto.mcp.streams":            "state=open 0",
		"rialto.outbox":                 "state=pending 0",
		"rialto.outbox.lag":             " 0",
		"rialto.queue.length":           "queue=audit ",
		"rialto.task.duration":          "agent=one state=completed 3",
		"rialto.task.first_event":       "agent=one 3",
	} {
		if got := o.series(name); !slices.ContainsFunc(got, func(line string) bool { return strings.HasPrefix(line, want) }) {
			t.Errorf("%s: got %q, want %s", name, got, want)
		}
	}
	server := o.ended(oteltrace.SpanKindServer)
	for _, want := range []string{"SendMessage", "POST /token", "tools/call send_task"} {
		if _, ok := server[want]; !ok {
			t.Errorf("got spans %q, want %s", slices.Collect(keysOf(server)), want)
		}
	}
	if _, ok := o.ended(oteltrace.SpanKindClient)["SELECT"]; !ok {
		t.Error("there is no span of a statement")
	}
}

// TestRefusalsAreCountedByDoor reaches limits through each door. Refusals with another status than 429 were not
// counted, among them those of tools and of gRPC.
func TestRefusalsAreCountedByDoor(t *testing.T) {
	o := newObserved(t, func(c *config.Config) {
		c.Limits.Tasks, c.DefaultAgent, c.GRPC.Listen = 1, "one", "127.0.0.1:0"
	})
	o.oauth.Registration.PerHour = func() int { return 1 }
	full := o.full("alice")
	o.call("send_task", `{"agent":"one","message":"hang","wait":0.1}`, "")
	if got := o.call("send_task", `{"agent":"one","message":"echo hello"}`, ""); !strings.Contains(got.body, "limits.tasks") {
		t.Fatalf("got %s, want that one task runs", got.body)
	}
	o.do("POST", "/api/v1/agents/one/tasks", full, `{"message":"echo hello"}`)
	for _, b := range []a2a.Binding{a2a.JSONRPC, a2a.HTTPJSON, a2a.GRPC} {
		if _, err := o.client("", full, a2a.V10, b).Send(t.Context(), a2atest.Say("echo hello")); !a2a.Is(err, a2a.RateLimited) {
			t.Errorf("%s: got %v, want a refusal", b, err)
		}
	}
	for range 61 { // loopback may register sixty times as often
		o.do("POST", "/mcp/oauth/register", "", `{"redirect_uris":["http://127.0.0.1/callback"]}`)
	}
	o.limits.mu.Lock()
	o.limits.all += o.cfg.Load().Limits.Calls
	o.limits.mu.Unlock()
	if got := o.call("list_agents", `{}`, ""); got.status != http.StatusServiceUnavailable {
		t.Errorf("got %d, want 503", got.status)
	}
	got, want := o.series("rialto.rate_limited"), []string{"door=a2a 2", "door=grpc 1", "door=login 1", "door=mcp 2", "door=rest 1"}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestDeliveriesAreCountedByKind ends a task that a push notification and an event tell of.
func TestDeliveriesAreCountedByKind(t *testing.T) {
	events, pushes := newReceiver(t), httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(pushes.Close)
	o := newObserved(t, func(c *config.Config) {
		c.Push.AllowedHosts, c.Push.Verify = []string{events.host, pushes.Listener.Addr().String()}, false
	})
	if sub := o.mcp(o.token("alice", oauth.ScopeTools), "events/subscribe", hookTo("task.completed", events.url, hookSecret, object{})); sub.Error != nil {
		t.Fatalf("got %s", sub.raw)
	}
	say := a2atest.Say("echo hello")
	say.Push = &a2a.PushConfig{URL: pushes.URL}
	if _, err := o.client("/a2a/one", o.full("alice"), a2a.V10, a2a.JSONRPC).Send(t.Context(), say); err != nil {
		t.Fatal(err)
	}
	want := []string{"kind=event outcome=ok 1", "kind=push outcome=ok 1"}
	for begun := time.Now(); ; time.Sleep(10 * time.Millisecond) { // a count has no sign
		got := o.series("rialto.push.deliveries")
		if slices.Sort(got); slices.Equal(got, want) {
			return
		}
		if time.Since(begun) > 20*time.Second {
			t.Fatalf("got %q, want %q", got, want)
		}
	}
}

// TestMetricsStayFew makes many users, tasks and unknown names: the series do not grow with them.
// RIALTO_TEST_TASKS is how many tasks there are, a tenth as many users.
func TestMetricsStayFew(t *testing.T) {
	tasks, _ := strconv.Atoi(os.Getenv("RIALTO_TEST_TASKS"))
	tasks = min(max(tasks, 100), 10_000)
	o := newObserved(t)
	for i := range tasks / 10 {
		user := fmt.Sprint("user", i)
		oauthtest.AddUser(t, o.oauth, user, "correct horse battery staple")
		token := o.token(user, oauth.ScopeTools)
		for range 10 {
			o.callAs(token, "send_task", `{"agent":"one","message":"echo hello"}`, "")
		}
	}
	for i := range 100 {
		token := o.token("alice", oauth.ScopeTools)
		o.do("POST", fmt.Sprintf("/nowhere/%d?state=secret-state-%d", i, i), token, `{}`)
		o.do("POST", "/mcp", token, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"made/up%d","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, i, i),
			"Accept: application/json, text/event-stream", "MCP-Protocol-Version: 2026-07-28", fmt.Sprintf("Mcp-Method: made/up%d", i))
		o.call(fmt.Sprintf("made_up_%d", i), `{}`, "")
	}
	var all metricdata.ResourceMetrics
	if err := o.metrics.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			lines := seriesOf(m.Data)
			n += len(lines)
			if len(lines) > 40 {
				t.Errorf("%s has %d series: %.300q", m.Name, len(lines), lines)
			}
		}
	}
	t.Logf("%d series", n)
	if n == 0 || n > 300 {
		t.Errorf("got %d series, want at most 300", n)
	}
	for _, s := range o.spans.GetSpans() {
		for _, line := range append(attributes(s.Attributes), s.Name) {
			if strings.Contains(line, "secret-state") || strings.Contains(line, "alice") {
				t.Fatalf("%s: %s", s.Name, line)
			}
		}
	}
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
	all := []string{logged.String()}
	for _, s := range o.spans.GetSpans() {
		all = append(all, append(attributes(s.Attributes), s.Name, s.Status.Description)...)
	}
	for _, line := range all {
		if strings.Contains(line, "secret-") || strings.Contains(line, token) {
			i := max(0, strings.Index(line, "secret-")-200)
			t.Errorf("got ...%.400s", line[i:])
		}
	}
	if !strings.Contains(logged.String(), "request_id") || !strings.Contains(logged.String(), "trace_id") {
		t.Errorf("got %.400s, want lines with request_id and trace_id", logged.String())
	}
}

// TestPrometheusReadsMetrics reads them at metrics.listen.
func TestPrometheusReadsMetrics(t *testing.T) {
	to, err := telemetry.Start(t.Context(), "test", "83f11e2", true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = to.Stop() })
	r := startRig(t, slog.New(slog.DiscardHandler), to, func(c *config.Config) { c.Metrics.Listen = "127.0.0.1:0" })
	r.do("GET", "/healthz", "", "")
	client := &http.Client{Timeout: 10 * time.Second}
	for path, want := range map[string]string{"/metrics": "rialto_build_info{revision=\"83f11e2\",version=\"test\"} 1", "/debug/pprof/": "goroutine"} {
		resp, err := client.Get("http://" + r.scrapes.Addr().String() + path)
		if err != nil {
			t.Fatal(err)
		}
		body := readAll(t, resp)
		if resp.StatusCode != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: got %d %.2000s, want %s", path, resp.StatusCode, body, want)
		}
	}
	if got := r.do("GET", "/metrics", "", ""); got.status != http.StatusNotFound {
		t.Errorf("got %d at the public address, want 404", got.status)
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
		c.Database, c.SecretFile = filepath.Join(dir, "rialto.db"), filepath.Join(dir, "rialto.key")
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
		if got := attributes(o.ended(oteltrace.SpanKindServer)["GET /livez"].Attributes); !slices.Contains(got, "url.scheme="+want) {
			t.Errorf("trusting %s: got %q, want %s", proxies, got, want)
		}
	}
}
