package telemetry

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.yaml.in/yaml/v3"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/bridge/ledger"
	"rialto/mcp"
)

const monitoring = "../../../../deploy/monitoring"

// TestTheDashboardAndTheAlertsNameOurMetrics holds their expressions to what Prometheus reads, and
// the dashboard to all metrics of ours.
func TestTheDashboardAndTheAlertsNameOurMetrics(t *testing.T) {
	known := scraped(t)
	name, matched, grouped, word := regexp.MustCompile(`\b(?:rialto|mcp|http|db|go|process)_[a-z0-9_]+`), regexp.MustCompile(`\{[^{}]*\}`),
		regexp.MustCompile(`\bby \(([^)]*)\)`), regexp.MustCompile(`[a-z_]+`)
	shown := map[string]bool{}
	for file, expressions := range map[string][]string{
		"dashboard.json": expressions(t, "dashboard.json", json.Unmarshal),
		"alerts.yaml":    expressions(t, "alerts.yaml", yaml.Unmarshal),
	} {
		if len(expressions) < 10 {
			t.Errorf("%s: found %d expressions, which is too few to be all", file, len(expressions))
		}
		for _, e := range expressions {
			bare := grouped.ReplaceAllString(matched.ReplaceAllString(e, ""), "")
			for _, metric := range name.FindAllString(bare, -1) {
				if !known[metric] {
					t.Errorf("%s: there is no metric %s", file, metric)
				}
				shown[file+metric] = true
			}
			for _, labels := range append(matched.FindAllString(e, -1), grouped.FindAllString(e, -1)...) {
				labels = regexp.MustCompile(`"[^"]*"`).ReplaceAllString(strings.TrimPrefix(labels, "by "), "")
				for _, label := range word.FindAllString(labels, -1) {
					if !labelNames[label] {
						t.Errorf("%s: no metric has the label %s: %s", file, label, e)
					}
				}
			}
		}
	}
	for metric := range known {
		base := strings.TrimSuffix(metric, "_count")
		histogram := base != metric
		if strings.HasPrefix(metric, "rialto_") && !strings.HasSuffix(metric, "_sum") && !strings.HasSuffix(metric, "_bucket") &&
			!shown["dashboard.json"+metric] && !(histogram && shown["dashboard.json"+base+"_bucket"]) {
			t.Errorf("the dashboard does not show %s", metric)
		}
	}
}

// TestEachAlertHasARunbook follows the runbook of each alert to its heading.
func TestEachAlertHasARunbook(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(monitoring, "alerts.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile("../../../../docs/deploy.md")
	if err != nil {
		t.Fatal(err)
	}
	headings := strings.ToLower(string(guide))
	runbooks := regexp.MustCompile(`runbook: docs/deploy.md#(\S+)`).FindAllStringSubmatch(string(b), -1)
	if alerts := strings.Count(string(b), "- alert:"); alerts == 0 || len(runbooks) != alerts {
		t.Errorf("%d alerts have %d runbooks", alerts, len(runbooks))
	}
	for _, r := range runbooks {
		if !strings.Contains(headings, "# "+strings.ReplaceAll(r[1], "-", " ")+"\n") {
			t.Errorf("docs/deploy.md has no heading for %s", r[1])
		}
	}
}

// TestEachAlertIsTested looks for each alert in the tests of promtool, where it fires and where it does not.
func TestEachAlertIsTested(t *testing.T) {
	read := func(file string) string {
		b, err := os.ReadFile(filepath.Join(monitoring, file))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	tests := read("alerts_test.yaml")
	for _, alert := range regexp.MustCompile(`- alert: (\S+)`).FindAllStringSubmatch(read("alerts.yaml"), -1) {
		if !strings.Contains(tests, "alertname: "+alert[1]+"\n        exp_alerts:") || !strings.Contains(tests, "alertname: "+alert[1]+"}") {
			t.Errorf("alerts_test.yaml does not show when %s fires, and when not", alert[1])
		}
	}
}

// TestPromtoolAcceptsTheAlerts runs promtool, with the tests of the alerts.
func TestPromtoolAcceptsTheAlerts(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("there is no promtool here")
	}
	for _, args := range [][]string{{"check", "rules", "--lint-fatal", "alerts.yaml"}, {"test", "rules", "alerts_test.yaml"}} {
		cmd := exec.Command(promtool, args...)
		cmd.Dir = monitoring
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v: %s", strings.Join(args, " "), err, out)
		}
	}
}

// labelNames are the labels that Prometheus adds, and ours.
var labelNames = func() map[string]bool {
	all := map[string]bool{"job": true, "instance": true, "le": true}
	for _, k := range []attribute.Key{mcpMethod, mcpRevision, toolName, errorType, httpMethod, httpStatus, httpRoute, dbOperation,
		grantType, outcome, agent, state, door, kind, queue, version, revision, key} {
		all[strings.ReplaceAll(string(k), ".", "_")] = true
	}
	return all
}()

// expressions returns the values of all members called expr.
func expressions(t *testing.T, file string, decode func([]byte, any) error) (all []string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(monitoring, file))
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := decode(b, &doc); err != nil {
		t.Fatal(err)
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if e, ok := v["expr"].(string); ok {
				all = append(all, e)
			}
			for _, member := range v {
				walk(member)
			}
		case []any:
			for _, element := range v {
				walk(element)
			}
		}
	}
	walk(doc)
	return all
}

// scraped returns the names of all series that Prometheus reads once everything has happened.
func scraped(t *testing.T) map[string]bool {
	t.Helper()
	to, err := Start(t.Context(), "test", "83f11e2", true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = to.Stop() })
	m := to.meters
	for _, name := range []string{mcpDuration, mcpSessions, httpDuration, dbDuration} {
		m.histograms[name].Record(t.Context(), 1)
	}
	_, called := to.Agent("one").ObserveCall(t.Context(), a2aclient.Call{})
	called(nil, nil)
	to.Ended("one", a2a.Completed, time.Second)
	to.FirstEvent("one", time.Second)
	to.TakenOver()
	to.CardChanged("one")
	to.TokenAnswered(t.Context(), "", nil)
	to.RefreshReused()
	to.ClientRegistered(true)
	to.Deliveries(Push).Attempted(true)
	of := WithRequest(t.Context(), &Request{Route: "/mcp"})
	_, refused := to.HTTP(of, httptest.NewRequest("POST", "/mcp", nil), "http")
	refused(Response{Status: http.StatusTooManyRequests})
	m.counters[hybrids].Add(t.Context(), 1)
	to.Read(oneOfEach{})
	to.refresh(t.Context())
	w := httptest.NewRecorder()
	to.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("got %d %.500s", w.Code, w.Body)
	}
	names := map[string]bool{}
	for _, series := range regexp.MustCompile(`(?m)^([a-z_]+)[{ ]`).FindAllStringSubmatch(w.Body.String(), -1) {
		names[series[1]] = true
	}
	return names
}

// oneOfEach is Gauges that have a value each.
type oneOfEach struct{}

func (oneOfEach) Unfinished(context.Context) ([]ledger.Count, error) {
	return []ledger.Count{{Agent: "one", Tasks: 1}}, nil
}
func (oneOfEach) Agents() []AgentHealth                                       { return []AgentHealth{{Name: "one", Probed: true}} }
func (oneOfEach) CertificateExpiry() time.Time                                { return time.Now() }
func (oneOfEach) Reloaded() bool                                              { return true }
func (oneOfEach) CountNotices(context.Context) (pending, dead int64, _ error) { return 1, 1, nil }
func (oneOfEach) NextNotice(context.Context) (time.Time, error)               { return time.Now(), nil }
func (oneOfEach) KeyExpiry(context.Context) (time.Time, error)                { return time.Now(), nil }
func (oneOfEach) Streams() mcp.StreamStats                                    { return mcp.StreamStats{} }
func (oneOfEach) UsageDropped() int64                                         { return 0 }
func (oneOfEach) QueueLengths() map[string]int                                { return map[string]int{"usage": 0} }
