package server

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/cmd/rialto/internal/config"
	"rialto/oauth"
)

// TestTheScopeMatrix holds the table of who may call what: without a token, and
// with one for each scope alone. A call that is let in is answered with the
// status in its row, 401 is what it gets without a token, and 403 otherwise.
func TestTheScopeMatrix(t *testing.T) {
	r := newAPIRig(t)
	task := r.create(r.full("alice"), "one", `{"message":"ask which?","wait":20}`)
	if err := r.oauth.Accounts.SetAdmin(t.Context(), "alice", true); err != nil {
		t.Fatal(err)
	}
	const none, claims = "", oauth.ScopeTools + ":claims"
	tokens := map[string]string{none: ""}
	for _, scope := range []string{oauth.ScopeTools, claims, oauth.ScopeDiscover, oauth.ScopePublish, oauth.ScopeAdmin} {
		tokens[scope] = r.token("alice", scope)
	}
	var (
		everybody = []string{none, oauth.ScopeTools, claims, oauth.ScopeDiscover, oauth.ScopePublish, oauth.ScopeAdmin}
		tools     = []string{oauth.ScopeTools, claims}
		discover  = []string{oauth.ScopeDiscover}
		publish   = []string{oauth.ScopePublish}
		admin     = []string{oauth.ScopeAdmin}
	)
	const (
		initialize = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}`
		call       = `{"name":"list_agents","arguments":{}}`
		message    = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	)
	for _, c := range []struct {
		method, path, body string
		status             int
		may                []string
	}{
		// The rows of the first design.
		{"GET", "/a2a/agents", "", 200, discover},
		{"GET", "/a2a/tasks/" + task.ID, "", 200, discover},
		{"POST", "/a2a/agents/one/tasks", `{"message":"say x"}`, 200, publish},
		{"POST", "/mcp/initialize", initialize, 200, everybody},
		{"GET", "/mcp/tools/list", "", 200, everybody},
		{"POST", "/mcp/tools/list", "{}", 200, everybody},
		{"POST", "/mcp/tools/call", call, 200, tools},
		{"GET", "/mcp/validate", "", 200, everybody},
		{"GET", "/mcp/health", "", 200, everybody},
		{"GET", "/mcp/config/", "", 200, everybody}, // the page to sign in: docs/security.md says why
		{"GET", "/.well-known/mcp-metadata", "", 200, everybody},
		{"GET", "/mcp/server-card", "", 200, everybody},
		{"GET", "/.well-known/ai-catalog.json", "", 200, everybody},

		// The rest of the API, at both of its roots.
		{"GET", "/a2a/agents/one/card", "", 200, discover},
		{"GET", "/a2a/tasks", "", 200, discover},
		{"GET", "/a2a/tasks/" + task.ID + "/status", "", 200, discover},
		{"POST", "/a2a/tasks/" + task.ID + "/messages", `{"message":"ask again?","wait":20}`, 200, publish},
		{"POST", "/a2a/tasks/none/cancel", "", 404, publish},
		{"GET", "/api/v1/agents", "", 200, discover},
		{"GET", "/api/v1/agents/one/card", "", 200, discover},
		{"GET", "/api/v1/tasks", "", 200, discover},
		{"GET", "/api/v1/tasks/" + task.ID, "", 200, discover},
		{"GET", "/api/v1/tasks/" + task.ID + "/status", "", 200, discover},
		{"POST", "/api/v1/agents/one/tasks", `{"message":"say x"}`, 200, publish},
		{"POST", "/api/v1/tasks/" + task.ID + "/messages", `{"message":"ask again?","wait":20}`, 200, publish},
		{"POST", "/api/v1/tasks/none/cancel", "", 404, publish},

		{"GET", "/api/v1/shares", "", 200, discover},
		{"POST", "/api/v1/shares", `{"id":"task:none"}`, 404, publish},
		{"DELETE", "/api/v1/shares/none", "", 404, publish},
		{"GET", "/shared/none", "", 404, everybody},

		// The endpoints of the protocols, and of the operator.
		{"POST", "/mcp", message, 200, tools},
		{"POST", "/mcp/", message, 200, tools},
		{"GET", "/mcp/resources/list", "", 200, everybody},
		{"GET", "/mcp/oauth/metadata", "", 200, everybody},
		{"GET", "/mcp/oauth/clients", "", 200, admin},
		{"DELETE", "/mcp/oauth/clients/none", "", 404, admin},
		{"GET", "/.well-known/oauth-protected-resource/mcp", "", 200, everybody},
		{"GET", "/.well-known/oauth-authorization-server", "", 200, everybody},
	} {
		for _, scope := range everybody {
			want := http.StatusForbidden
			switch {
			case slices.Contains(c.may, scope):
				want = c.status
			case scope == none:
				want = http.StatusUnauthorized
			}
			got := r.do(c.method, c.path, tokens[scope], c.body, "Accept: application/json, text/event-stream", "MCP-Protocol-Version: "+revisionFor(c.path))
			if got.status != want {
				t.Errorf("%s %s with %q: got %d %.300s, want %d", c.method, c.path, scope, got.status, got.body, want)
			}
			if challenged := got.header.Get("WWW-Authenticate") != ""; challenged != (want == 401 || want == 403) {
				t.Errorf("%s %s with %q: got the challenge %q with %d", c.method, c.path, scope, got.header.Get("WWW-Authenticate"), got.status)
			}
		}
	}
}

// revisionFor names a revision of MCP where one is spoken.
func revisionFor(path string) string {
	if strings.TrimSuffix(path, "/") == "/mcp" {
		return "2025-11-25"
	}
	return ""
}

// TestSharesAreListedToWhoMaySeeWhatTheyShow has one client share what another,
// for other use cases, may not know of.
func TestSharesAreListedToWhoMaySeeWhatTheyShow(t *testing.T) {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	url := a2atest.Serve(t, agent, agent.Card(), a2a.V10)
	r := newRigWith(t, func(c *config.Config) {
		c.Agents, c.Links.ShareLinks = []config.Agent{{Name: "one", URL: url}, {Name: "secret", URL: url, UseCases: []string{"claims"}}}, time.Hour
	})
	claims := r.token("alice", oauth.ScopeTools+":claims", oauth.ScopeDiscover, oauth.ScopePublish)
	sales := r.token("alice", oauth.ScopeTools+":sales", oauth.ScopeDiscover, oauth.ScopePublish)
	for _, name := range []string{"one", "secret"} {
		task := r.create(claims, name, `{"message":"echo about `+name+`","wait":20}`)
		if got := r.do("POST", "/api/v1/shares", claims, `{"id":"task:`+task.ID+`"}`); got.status != http.StatusCreated {
			t.Fatalf("%s: got %s", name, got.said())
		}
	}
	for token, want := range map[string]int{claims: 2, sales: 1} {
		var list struct{ Shares []struct{ ID, Title string } }
		r.do("GET", "/api/v1/shares", token, "").decode(t, &list)
		if len(list.Shares) != want {
			t.Errorf("got %+v, want %d", list, want)
		}
	}
}
