package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aserver"
	"rialto/a2a/a2atest"
)

// TestConnect has a person connect agents in Chromium, while MCP clients of both
// eras wait that were asked to open a page.
func TestConnect(t *testing.T) {
	t.Parallel()
	browser, err := chromium()
	Need(t, err)
	dir, addr, issuer := t.TempDir(), freeAddress(t), "http://"+freeAddress(t)
	personal := guarded(t, map[string]a2a.SecurityScheme{"login": {Type: a2a.OpenIDConnect, OpenIDConnectURL: issuer + "/.well-known/openid-configuration"}}, func(r *http.Request) bool {
		req, err := http.NewRequestWithContext(r.Context(), http.MethodGet, issuer+"/me", nil)
		if err != nil {
			return false
		}
		req.Header.Set("Authorization", r.Header.Get("Authorization"))
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	keyed := guarded(t, map[string]a2a.SecurityScheme{"key": {Type: a2a.APIKey, In: "header", Name: "X-Key"}}, func(r *http.Request) bool {
		return r.Header.Get("X-Key") == "hush-hush"
	})
	config := filepath.Join(dir, "rialto.yaml")
	text := fmt.Sprintf("url: http://%s\ndatabase: %s\nsecret_file: %s\nagents:\n  - {name: personal, url: %q, credentials: {type: user, issuer: %q}}\n  - {name: keyed, url: %q, credentials: {type: user}}\n",
		addr, filepath.Join(dir, "db"), filepath.Join(dir, "secret"), personal, issuer, keyed)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, password+"\n", "user", "add", username, "--password-stdin", "--config", config)
	token := output(t, "", "token", "--user", username, "--config", config)
	p := start(t, addr, "serve", "--config", config, "--listen", addr)
	script{"connect.mjs", nil, []string{"RIALTO_URL=" + p.URL + "/mcp", "RIALTO_TOKEN=" + token, "RIALTO_PROVIDER=" + issuer, "RIALTO_CHROMIUM=" + browser}}.run(t, p)
}

// guarded runs an agent that takes calls which its door lets in, and returns its
// URL. Its card says how to get in.
func guarded(t *testing.T, schemes map[string]a2a.SecurityScheme, door func(*http.Request) bool) string {
	agent := a2atest.NewAgent()
	card := *agent.Card()
	card.SecuritySchemes = schemes
	for name := range schemes {
		card.Security = append(card.Security, a2a.SecurityRequirement{name: nil})
	}
	face := &a2aserver.Server{Agent: agent, Card: &card}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && !door(r) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		face.ServeHTTP(w, r)
	}))
	face.URL = "http://" + srv.Listener.Addr().String() // before the card is read
	srv.Start()
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close(); agent.Close() })
	return srv.URL
}
