package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/bridge/directory"
	"rialto/cmd/rialto/internal/config"
)

// TestAgentsAreProbedFromTheStart starts a server, without metrics, with an agent that answers, one that answers
// users alone, one that is away and one that breaks.
func TestAgentsAreProbedFromTheStart(t *testing.T) {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "PRIVATE", http.StatusServiceUnavailable)
	}))
	t.Cleanup(broken.Close)
	closed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no token", http.StatusUnauthorized)
	}))
	t.Cleanup(closed.Close)
	r := newRig(t,
		config.Agent{Name: "closed", URL: closed.URL, Credentials: directory.Credentials{Type: config.TypeTokenExchange, TokenURL: broken.URL, ClientID: "rialto"}},
		config.Agent{Name: "up", URL: a2atest.Serve(t, agent, agent.Card(), a2a.V10)},
		config.Agent{Name: "away", URL: "http://127.0.0.1:1"},
		config.Agent{Name: "broken", URL: broken.URL},
	)
	admin := r.operatorToken()
	history := func(name string) (s directory.AgentStatus) {
		r.do("GET", "/api/v1/admin/agents/"+name, admin, "").decode(t, &s)
		return s
	}
	for name, want := range map[string]string{
		"away":   "nothing listens there. Is it running, and is the port right?",
		"broken": "the agent answered HTTP 503 Service Unavailable",
	} {
		poll(t, 10*time.Millisecond, func() bool { return len(history(name).History.Outages) > 0 })
		got := history(name).History
		if cause := got.Outages[0].Cause; !strings.HasPrefix(cause, want) || strings.Contains(cause, "PRIVATE") || len(got.Slots) != 84 {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	poll(t, 10*time.Millisecond, func() bool { up, _ := r.health.agents.Load("up"); return up == true })
	poll(t, 10*time.Millisecond, func() bool { up, _ := r.health.agents.Load("closed"); return up == true })
	for _, name := range []string{"up", "closed"} {
		if got := history(name).History; len(got.Outages) > 0 {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}
