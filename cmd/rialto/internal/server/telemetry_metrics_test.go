package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	otel "go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	oteltrace "go.opentelemetry.io/otel/trace"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/cmd/rialto/internal/config"
	"rialto/cmd/rialto/internal/telemetry"
	"rialto/internal/quota"
	"rialto/oauth"
	"rialto/oauth/oauthtest"
)

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

// measured waits until a metric has a series that begins with some text: a client can have its
// answer before its call is measured.
func (o *observed) measured(name, want string) {
	o.t.Helper()
	var got []string
	poll(o.t, time.Millisecond, func() bool {
		got = o.series(name)
		return slices.ContainsFunc(got, func(line string) bool { return strings.HasPrefix(line, want) })
	}, func() string { return fmt.Sprintf("%s: got %q, want %s", name, got, want) })
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
	begun := o.do("POST", "/mcp", o.token("alice", oauth.ScopeTools), `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`, "Accept: application/json, text/event-stream")
	if got := o.do("DELETE", "/mcp", o.token("alice", oauth.ScopeTools), "", "Mcp-Session-Id: "+begun.header.Get("Mcp-Session-Id")); got.status != http.StatusNoContent {
		t.Errorf("ending a session: got %d %s", got.status, got.body)
	}
	for name, want := range map[string]string{
		"mcp.server.operation.duration":        "gen_ai.operation.name=execute_tool gen_ai.tool.name=send_task mcp.method.name=tools/call mcp.protocol.version=2026-07-28 network.protocol.name=http network.protocol.version=1.1 network.transport=tcp 1",
		"http.server.request.duration":         "http.request.method=POST http.response.status_code=200 http.route=/mcp url.scheme=http 2",
		"rialto.agent.call.duration":           "a2a.method.name=SendStreamingMessage agent=one 3",
		"rialto.oauth.tokens":                  "oauth.grant_type=refresh_token outcome=invalid_client 1",
		"rialto.build.info":                    "version=test 1",
		"rialto.usage.dropped":                 " 0",
		"rialto.tasks":                         "agent=one state=working 0",
		"rialto.agent.circuit_open":            "agent=one 0",
		"rialto.config.last_reload_successful": " 1",
		"mcp.server.session.duration":          "mcp.protocol.version=2025-11-25 network.protocol.name=http network.transport=tcp 1",
		"rialto.mcp.streams":                   "state=open 0",
		"rialto.outbox":                        "state=pending 0",
		"rialto.outbox.lag":                    " 0",
		"rialto.queue.length":                  "queue=audit ",
		"rialto.task.duration":                 "agent=one state=completed 3",
		"rialto.task.first_event":              "agent=one 3",
	} {
		o.measured(name, want)
	}
	o.ended(oteltrace.SpanKindServer, "SendMessage", "POST /token", "tools/call send_task")
	o.ended(oteltrace.SpanKindClient, "SELECT")
}

// TestAnAgentThatIsAwayIsNotUp starts a server whose agents are away. Without a call to them no circuit
// opened, and no metric said that they are away.
func TestAnAgentThatIsAwayIsNotUp(t *testing.T) {
	o := newObserved(t, func(c *config.Config) {
		c.Agents = append(c.Agents, config.Agent{Name: "two", URL: "http://127.0.0.1:1"}, config.Agent{Name: "three", URL: "http://127.0.0.1:1", Protocol: a2a.V03})
	})
	want := []string{"agent=one 1", "agent=three 0", "agent=two 0"}
	poll(t, 10*time.Millisecond, func() bool { return len(o.series("rialto.agent.up")) == len(want) })
	got := o.series("rialto.agent.up")
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestMetricsSayThatAReloadFailed reloads a wrong configuration, and a right one.
func TestMetricsSayThatAReloadFailed(t *testing.T) {
	o := newObserved(t)
	for _, fault := range []error{errors.New("a fault"), nil} {
		o.Source = Source{Level: new(slog.LevelVar), Read: func() (*config.Config, error) {
			next := *o.cfg.Load()
			return &next, fault
		}}
		_, _ = o.Reload(t.Context())
		if got, want := o.series("rialto.config.last_reload_successful"), map[bool]string{true: " 1", false: " 0"}[fault == nil]; !slices.Equal(got, []string{want}) {
			t.Errorf("after %v: got %q, want %q", fault, got, want)
		}
	}
}

// TestRefusalsAreCountedByDoor reaches limits through each door. Refusals with another status than 429 were not
// counted, among them those of tools and of gRPC.
func TestRefusalsAreCountedByDoor(t *testing.T) {
	o := newObserved(t, func(c *config.Config) {
		c.Limits.Tasks, c.Calls.DefaultAgent, c.Serving.GRPC.Listen = 1, "one", "127.0.0.1:0"
	})
	o.oauth.Registration.PerHour = 1
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
	for range o.cfg.Load().Limits.Calls {
		o.limits.clients.Acquire("another", quota.Unlimited, quota.Unlimited)
	}
	if got := o.call("list_agents", `{}`, ""); got.status != http.StatusServiceUnavailable {
		t.Errorf("got %d, want 503", got.status)
	}
	var got []string
	want := []string{"door=a2a 2", "door=grpc 1", "door=login 1", "door=mcp 2", "door=rest 1"}
	poll(t, time.Millisecond, func() bool { // gRPC counts after its client has the answer
		got = o.series("rialto.rate_limited")
		slices.Sort(got)
		return slices.Equal(got, want)
	}, func() string { return fmt.Sprintf("got %q, want %q", got, want) })
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
	var got []string
	poll(t, 10*time.Millisecond, func() bool {
		got = o.series("rialto.push.deliveries")
		slices.Sort(got)
		return slices.Equal(got, want)
	}, func() string { return fmt.Sprintf("got %q, want %q", got, want) })
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

// TestMetricsDoNotWaitForTheDatabase reads them while PostgreSQL does not answer. That took 20 to 40 seconds,
// and ended with 503: there were no metrics just when they were needed.
func TestMetricsDoNotWaitForTheDatabase(t *testing.T) {
	to, err := telemetry.Start(t.Context(), "test", "", true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = to.Stop() })
	dsn, cable := throughCable(t, oauthtest.PostgresSchema(t))
	r := startRig(t, slog.New(slog.DiscardHandler), to, func(c *config.Config) {
		c.Serving.Metrics.Listen, c.Storage.Database = "127.0.0.1:0", dsn
	})
	client := &http.Client{Timeout: 2 * time.Second}
	scrape := func() string {
		resp, err := client.Get("http://" + r.scrapes.Addr().String() + "/metrics")
		if err != nil {
			return err.Error()
		}
		return readAll(t, resp)
	}
	poll(t, 10*time.Millisecond, func() bool { return strings.Contains(scrape(), `rialto_outbox{state="dead"} 0`) })
	cable.frozen.Lock()
	t.Cleanup(cable.frozen.Unlock)
	for range 5 {
		got := scrape()
		for _, want := range []string{`rialto_outbox{state="dead"} 0`, "\nrialto_gauges_age_seconds ", "\nprocess_start_time_seconds "} {
			if !strings.Contains(got, want) {
				t.Fatalf("got %.3000s, want %s", got, want)
			}
		}
	}
}

// TestPrometheusReadsMetrics reads them at metrics.listen.
func TestPrometheusReadsMetrics(t *testing.T) {
	to, err := telemetry.Start(t.Context(), "test", "83f11e2", true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = to.Stop() })
	r := startRig(t, slog.New(slog.DiscardHandler), to, func(c *config.Config) { c.Serving.Metrics.Listen = "127.0.0.1:0" })
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
	for host, want := range map[string]int{"localhost:9090": http.StatusOK, "rebound.example:9090": http.StatusForbidden} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+r.scrapes.Addr().String()+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("Host %s: got %d, want %d", host, resp.StatusCode, want)
		}
	}
	if got := r.do("GET", "/metrics", "", ""); got.status != http.StatusNotFound {
		t.Errorf("got %d at the public address, want 404", got.status)
	}
}
