package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/a2a/a2aserver"
)

// TestPages looks at every page in Chromium with axe-core: both languages,
// light and dark, phone and desktop. RIALTO_SCREENSHOTS names a folder for
// pictures, RIALTO_PAGES the pages to look at, with commas between them.
// RIALTO_DOC_IMAGES names the folder of the pictures in the documentation, to
// draw them again; the address in them is that of the demo, 127.0.0.1:8080.
func TestPages(t *testing.T) {
	path, err := chromium()
	Need(t, err)
	p := console(t)
	script{"pages.mjs", nil, []string{"RIALTO_URL=" + p.URL + "/mcp", "RIALTO_CHROMIUM=" + path}}.run(t, p)
	if folder := os.Getenv("RIALTO_DOC_IMAGES"); folder != "" {
		shrink(t, folder)
	}
}

// TestKeyboard signs in without a mouse, answer, connect, end, and run
// the server.
func TestKeyboard(t *testing.T) {
	path, err := chromium()
	Need(t, err)
	p := console(t)
	script{"keyboard.mjs", nil, []string{"RIALTO_URL=" + p.URL + "/mcp", "RIALTO_CHROMIUM=" + path, "RIALTO_AGENT=" + weatherAgent(t)}}.run(t, p)
}

// console runs a server that has a page of every kind to show: agents that ask
// for a form and for accounts of their users', links to share, and an agent
// that was added later.
func console(t *testing.T) *program {
	t.Helper()
	addr, dir := freeAddress(t), t.TempDir()
	if os.Getenv("RIALTO_DOC_IMAGES") != "" {
		addr = "127.0.0.1:8080"
	}
	config := filepath.Join(dir, "rialto.yaml")
	if err := os.WriteFile(config, fmt.Appendf(nil, `
url: http://%s
database: %s
default_agent: tableexpert
share_links: 7d
agents:
  - name: tableexpert
    url: %s
  - name: travel
    url: %s
  - name: crm
    url: %s
    credentials: {type: user}
`, addr, filepath.Join(dir, "rialto.db"), tableExpert(t).URL, travelAgent(t), crmAgent(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, password+"\n", "user", "add", username, "--admin", "--password-stdin", "--config", config)
	output(t, "", "agents", "add", weatherAgent(t), "--name", "weather", "--review", "--config", config)
	return start(t, addr, "serve", "--config", config, "--listen", addr)
}

// travelAgent asks for what it needs: by a form, or in words where the message
// holds a question mark.
func travelAgent(t *testing.T) string {
	form := json.RawMessage(`{"type": "object", "title": "Your trip", "required": ["to", "day"], "properties": {
		"to": {"type": "string", "title": "Where to", "description": "A city or an airport", "maxLength": 80},
		"day": {"type": "string", "format": "date", "title": "On which day"},
		"class": {"type": "string", "title": "Class", "enum": ["economy", "business"], "default": "economy"},
		"people": {"type": "integer", "title": "People", "minimum": 1, "maximum": 9, "default": 1},
		"back": {"type": "boolean", "title": "There and back", "default": true}}}`)
	return agentOf(t, &a2a.Card{Name: "Travel", Description: "Plans trips.", Version: "1.0.0"}, func(_ context.Context, turn *a2aexec.Turn) error {
		if strings.Contains(turn.Message.Text(), "?") {
			turn.Ask("From which city do you leave?")
		} else {
			turn.AskForm("I need a little more before I can look for trips.", form)
		}
		return nil
	})
}

func weatherAgent(t *testing.T) string {
	return agentOf(t, &a2a.Card{Name: "Weather", Description: "Knows the weather of every town.", Version: "1.0.0",
		Skills: []a2a.Skill{{ID: "forecast", Name: "Forecast", Description: "The weather of the next days.", Tags: []string{"weather"}}}}, done)
}

// crmAgent has a way of each kind in which its users can say who they are.
func crmAgent(t *testing.T) string {
	return agentOf(t, &a2a.Card{
		Name: "Customer records", Description: "Knows the customers.", Version: "1.0.0",
		SecuritySchemes: map[string]a2a.SecurityScheme{
			"login": {Type: a2a.OAuth2, Description: "With your account there.", Flows: []a2a.OAuthFlow{{
				Grant: "authorizationCode", AuthorizationURL: "https://login.example.com/authorize", TokenURL: "https://login.example.com/token"}}},
			"key":   {Type: a2a.APIKey, In: "header", Name: "X-Key"},
			"basic": {Type: a2a.HTTPAuth, Scheme: "basic"},
		},
		Security: []a2a.SecurityRequirement{{"login": nil}, {"key": nil}, {"basic": nil}},
	}, done)
}

func done(_ context.Context, turn *a2aexec.Turn) error {
	turn.Complete("done")
	return nil
}

// agentOf serves an agent and returns its address.
func agentOf(t *testing.T, card *a2a.Card, run func(context.Context, *a2aexec.Turn) error) string {
	exec := &a2aexec.Executor{Run: run}
	agent := &a2aserver.Server{Agent: exec, Card: card}
	srv := httptest.NewUnstartedServer(agent)
	agent.URL = "http://" + srv.Listener.Addr().String() // before the card is read
	srv.Start()
	t.Cleanup(func() { exec.Close(); srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}
