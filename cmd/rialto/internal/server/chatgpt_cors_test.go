package server

import (
	"net/http"
	"strings"
	"testing"

	"rialto/cmd/rialto/internal/config"
)

// TestPagesOfChatGPTMayCall calls what ChatGPT's pages call, with the headers that they add to every
// request. The server knew two of the origins, and none of the headers.
func TestPagesOfChatGPTMayCall(t *testing.T) {
	agent, _ := scriptedAgent(t)
	r := newRigWith(t, func(c *config.Config) {
		c.AllowedOrigins, c.Agents = []string{"https://*.app.example"}, []config.Agent{agent}
	})
	wanted := "oai-client-version, oai-device-id, oai-language, oai-product-sku, OAI-New"
	for _, path := range []string{"/mcp", "/mcp/tools/list", "/mcp/validate", "/mcp/health", "/token", "/register", "/.well-known/jwks.json", "/.well-known/mcp-metadata", "/.well-known/oauth-protected-resource",
		"/a2a/scripted", "/a2a/scripted/tasks/t", "/api/v1/agents", "/.well-known/agent-card.json", "/a2a/scripted/.well-known/agent-card.json"} {
		for _, origin := range []string{"https://chatgpt.com", "https://chat.openai.com", "https://platform.openai.com", "https://web.chatgpt.com", "https://one.app.example"} {
			got := r.do("OPTIONS", path, "", "", "Origin: "+origin, "Access-Control-Request-Headers: "+wanted)
			if allowed := got.header.Get("Access-Control-Allow-Origin"); got.status != http.StatusNoContent || allowed != origin && allowed != "*" {
				t.Errorf("%s from %s: got %d for %q, want 204 for the origin", path, origin, got.status, allowed)
			}
			allowed := strings.ToLower(got.header.Get("Access-Control-Allow-Headers"))
			for name := range strings.SplitSeq(strings.ToLower(wanted), ", ") {
				if !strings.Contains(allowed, name) && !strings.HasPrefix(allowed, "*") {
					t.Errorf("%s from %s: got the headers %q, want %s among them", path, origin, allowed, name)
				}
			}
		}
	}
	for _, origin := range []string{"https://chatgpt.com.evil.example", "https://evilchatgpt.com", "http://web.chatgpt.com", "https://web.chatgpt.com:8443", "https://a@web.chatgpt.com", "https://.chatgpt.com", "https://app.example"} {
		if got := r.do("OPTIONS", "/mcp", "", "", "Origin: "+origin, "Access-Control-Request-Headers: x-other"); got.status != http.StatusForbidden {
			t.Errorf("%s: got %d, want 403", origin, got.status)
		}
	}
	got := r.do("OPTIONS", "/mcp", "", "", "Origin: https://chatgpt.com", "Access-Control-Request-Headers: x-other").header.Get("Access-Control-Allow-Headers")
	if strings.Contains(got, "x-other") {
		t.Errorf("got the headers %q, want no x-other", got)
	}
}

// TestTheKeySetIsAtBothPlaces reads the address of the first design.
func TestTheKeySetIsAtBothPlaces(t *testing.T) {
	r := newRig(t)
	want := r.do("GET", "/jwks.json", "", "")
	if want.status != http.StatusOK || !strings.Contains(want.body, `"kid"`) {
		t.Fatalf("got %d %s, want keys", want.status, want.body)
	}
	got := r.do("GET", "/.well-known/jwks.json", "", "")
	if got.status != http.StatusOK || got.body != want.body || got.header.Get("Content-Type") != "application/jwk-set+json" || got.header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("got %d %s, want %s", got.status, got.body, want.body)
	}
}
