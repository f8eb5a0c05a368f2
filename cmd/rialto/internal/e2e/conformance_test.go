package e2e

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"rialto/mcp/mcptest"
)

// The suites of the protocol's authors, as npm packages.
const (
	suiteNow  = "node_modules/@modelcontextprotocol/conformance" // 0.2.0-alpha.12
	suiteThen = "node_modules/conformance-01"                    // 0.1.16
)

// unchecked are the scenarios in which the suites check nothing, and why. None
// may be added silently.
var unchecked = map[string]string{
	"tasks-status-notifications": "the suite skips it itself until it is rewritten for subscriptions/listen; " +
		"mcp's TestTaskIsFollowedToItsEnd has it",
}

// TestConformance runs the protocol's conformance suites against a server that
// has everything they look for. No failure is excused.
func TestConformance(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcptest.Server())
	srv := httptest.NewServer(mux)
	defer srv.Close()
	for _, c := range []struct {
		name, suite string
		args        []string
		least       int // checks that pass
	}{
		{"0.1.16", suiteThen, []string{"--suite", "all"}, 46},
		{"what 2025-11-25 requires", suiteNow, []string{"--requirements", "2025-11-25"}, 83},
		{"what 2026-07-28 requires, and tasks", suiteNow, []string{"--requirements", "2026-07-28"}, 194},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := conformance(t, c.suite, srv.URL+"/mcp", c.args...)
			if passed := total(t, out); passed < c.least {
				t.Errorf("got %d checks, want %d:\n%s", passed, c.least, out)
			}
			for _, scenario := range regexp.MustCompile(`(?m)^✓ (\S+): 0 passed`).FindAllStringSubmatch(out, -1) {
				if unchecked[scenario[1]] == "" {
					t.Errorf("%s checks nothing", scenario[1])
				}
			}
		})
	}
}

// TestConformanceOfSkills runs the scenarios of the extension for skills against the server with
// fixtures and against the program. The suite runs them at a revision only with --force. The scenario sep-2640-skills-directory
// is left out: resources/directory/read is optional, and not served.
func TestConformanceOfSkills(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcptest.Server())
	srv := httptest.NewServer(mux)
	defer srv.Close()
	data := t.TempDir()
	p := demo(t, data, "")
	front := httptest.NewServer(withToken(t, p.URL, output(t, "", "token", "--user", username, "--data", data)))
	defer front.Close()
	for name, server := range map[string]string{"fixtures": srv.URL, "program": front.URL} {
		t.Run(name, func(t *testing.T) { conformanceOfSkills(t, server+"/mcp") })
	}
}

func conformanceOfSkills(t *testing.T, server string) {
	for scenario, passed := range map[string]string{"sep-2640-skills-enumeration": "32/32", "sep-2640-skills-manifest": "6/6"} {
		t.Run(scenario, func(t *testing.T) {
			out := conformance(t, suiteNow, server, "--spec-version", "2026-07-28", "--force", "--scenario", scenario)
			if !strings.Contains(out, "Passed: "+passed+", 0 failed, 0 warnings") {
				t.Errorf("got\n%s", out)
			}
		})
	}
}

// TestConformanceOfTheProgram runs the scenarios that need no fixture against
// the program itself; docs/mcp.md says what the others need. The suite sends no
// token, so something in front adds one.
func TestConformanceOfTheProgram(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := demo(t, data, "")
	front := httptest.NewServer(withToken(t, p.URL, output(t, "", "token", "--user", username, "--data", data)))
	defer front.Close()
	for revision, scenarios := range map[string]string{
		"2025-03-26": "server-session-lifecycle",
		"2025-06-18": "server-initialize ping tools-list resources-list server-session-lifecycle",
		"2025-11-25": "server-initialize ping tools-list resources-list resources-subscribe resources-unsubscribe " +
			"server-session-lifecycle server-sse-multiple-streams dns-rebinding-protection",
		"2026-07-28": "tools-list resources-list sep-2164-resource-not-found input-required-result-unsupported-methods " +
			"server-sse-multiple-streams http-header-validation dns-rebinding-protection",
	} {
		for scenario := range strings.FieldsSeq(scenarios) {
			t.Run(revision+"/"+scenario, func(t *testing.T) {
				out := conformance(t, suiteNow, front.URL+"/mcp", "--spec-version", revision, "--scenario", scenario)
				if !regexp.MustCompile(`Passed: [1-9]\d*/\d+, 0 failed, 0 warnings`).MatchString(out) {
					t.Errorf("got\n%s", out)
				}
			})
		}
	}
}

// withToken passes requests on to the program, each whole, with a token.
func withToken(t *testing.T, origin, token string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fail := func(err error) {
			if r.Context().Err() == nil { // or the suite has hung up
				t.Error(err)
			}
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			fail(err)
			return
		}
		out, err := http.NewRequestWithContext(r.Context(), r.Method, origin+r.URL.Path, bytes.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		out.Header, out.Host = r.Header.Clone(), r.Host
		out.Header.Set("Authorization", "Bearer "+token)
		res, err := http.DefaultTransport.RoundTrip(out)
		if err != nil {
			fail(err)
			return
		}
		defer res.Body.Close()
		maps.Copy(w.Header(), res.Header)
		w.WriteHeader(res.StatusCode)
		io.Copy(w, res.Body)
	})
}

// conformance runs a suite and returns what it says.
func conformance(t *testing.T, suite, server string, args ...string) string {
	t.Helper()
	node, err := Node("node")
	Need(t, err)
	index, err := filepath.Abs(filepath.Join("node", suite, "dist/index.js"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, append([]string{index, "server", "--url", server}, args...)...)
	cmd.Dir = t.TempDir() // it leaves its results behind
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
	return string(out)
}

// total returns how many checks have passed, of which none may have failed.
func total(t *testing.T, out string) int {
	t.Helper()
	found := regexp.MustCompile(`Total: (\d+) passed, 0 failed`).FindStringSubmatch(out)
	if found == nil {
		t.Fatalf("got failures:\n%s", out)
	}
	n, _ := strconv.Atoi(found[1]) // digits
	return n
}
