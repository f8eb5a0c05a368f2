package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/a2a/a2aserver"
)

// TestPages looks at every page in Chromium with axe-core: both languages,
// light and dark, phone and desktop. RIALTO_PAGES names the pages to look at,
// with commas between them. TestPictures draws them.
func TestPages(t *testing.T) {
	t.Parallel()
	pages(t)
}

// consolePage matches the path of a route of the console that shows a page.
var consolePage = regexp.MustCompile(`path:\s*"(/[^"]+)",\s*page:`)

// TestEveryPageIsInTheList compares the routes of the console with the pages that TestPages looks at.
func TestEveryPageIsInTheList(t *testing.T) {
	list, err := os.ReadFile("node/pages.mjs")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../../../bridge/console/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d files, %v", len(files), err)
	}
	pages := 0
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range consolePage.FindAllSubmatch(source, -1) {
			pages++
			if !regexp.MustCompile("['`]" + string(page[1]) + "['`?]").Match(list) {
				t.Errorf("%s: node/pages.mjs does not look at %s", filepath.Base(name), page[1])
			}
		}
	}
	if pages < 20 {
		t.Errorf("found %d pages in the code, want all of them", pages)
	}
}

// pages runs pages.mjs against a server whose records are seeded.
func pages(t *testing.T, env ...string) {
	t.Helper()
	path, err := chromium()
	Need(t, err)
	var seeded map[string]string
	p := console(t, func(database string) { seeded = seedRecords(t, database) })
	tasks, err := json.Marshal(seeded)
	if err != nil {
		t.Fatal(err)
	}
	script{"pages.mjs", nil, append(env, "RIALTO_URL="+p.URL+"/mcp", "RIALTO_CHROMIUM="+path, "RIALTO_TASKS="+string(tasks))}.run(t, p)
}

// TestKeyboard signs in, answers, connects an agent and ends an app without a mouse.
func TestKeyboard(t *testing.T) {
	path, err := chromium()
	Need(t, err)
	p := console(t)
	script{"keyboard.mjs", nil, []string{"RIALTO_URL=" + p.URL + "/mcp", "RIALTO_CHROMIUM=" + path}}.run(t, p)
}

// TestListsByKeyboard does errands in lists with few keys: see lists.mjs.
func TestListsByKeyboard(t *testing.T) {
	path, err := chromium()
	Need(t, err)
	p := console(t, func(database string) { seedRecords(t, database) })
	script{"lists.mjs", nil, []string{"RIALTO_URL=" + p.URL + "/mcp", "RIALTO_CHROMIUM=" + path}}.run(t, p)
}

// TestErrands does what people come for, by mouse and by keyboard: see errands.mjs.
// RIALTO_ERRANDS names the errands to run, with commas between them.
func TestErrands(t *testing.T) {
	takesLong(t)
	t.Parallel()
	path, err := chromium()
	Need(t, err)
	var seeded map[string]string
	p := console(t, func(database string) { seeded = seedRecords(t, database) })
	tasks, err := json.Marshal(seeded)
	if err != nil {
		t.Fatal(err)
	}
	var agents []string
	for i := range 3 { // rounds
		agents = append(agents, agentOf(t, &a2a.Card{Name: fmt.Sprint("Depot ", i), Description: "Knows what is in the depot.", Version: "1.0.0"}, done))
	}
	script{"errands.mjs", nil, []string{"RIALTO_URL=" + p.URL + "/mcp", "RIALTO_CHROMIUM=" + path, "RIALTO_TASKS=" + string(tasks), "RIALTO_AGENTS=" + strings.Join(agents, ",")}}.run(t, p)
}

// console runs a server that has a page of every kind to show: agents that ask
// for a form and for accounts of their users', links to share, and an agent
// that was added later. It calls seed with the path of the database before the server starts.
func console(t *testing.T, seed ...func(database string)) *program {
	t.Helper()
	addr, dir := freeAddress(t), t.TempDir()
	if strings.HasSuffix(os.Getenv("RIALTO_PICTURES"), documentation) { // which show the address of the demo
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
	output(t, "", "connectors", "add", "sales", "--title", "Sales", "--agents", "weather", "--config", config)
	for _, fill := range seed {
		fill(filepath.Join(dir, "rialto.db"))
	}
	return start(t, addr, "serve", "--config", config, "--listen", addr)
}

// travelAgent asks for what it needs: by a form, or in words where the message
// holds a question mark. It looks for a hotel until the test ends.
func travelAgent(t *testing.T) string {
	form := json.RawMessage(`{"type": "object", "title": "Your trip", "required": ["to", "day"], "properties": {
		"to": {"type": "string", "title": "Where to", "description": "A city or an airport", "maxLength": 80},
		"day": {"type": "string", "format": "date", "title": "On which day"},
		"class": {"type": "string", "title": "Class", "enum": ["economy", "business"], "default": "economy"},
		"people": {"type": "integer", "title": "People", "minimum": 1, "maximum": 9, "default": 1},
		"back": {"type": "boolean", "title": "There and back", "default": true}}}`)
	return agentOf(t, &a2a.Card{Name: "Travel", Description: "Plans trips.", Version: "1.0.0"}, func(ctx context.Context, turn *a2aexec.Turn) error {
		switch text := turn.Message.Text(); {
		case strings.Contains(text, "hotel"):
			turn.Working("Looking at 12 hotels near the workshop")
			turn.Working("Comparing prices: 7 of 12")
			<-ctx.Done()
		case strings.Contains(text, "?"):
			turn.Ask("From which city do you leave?")
		default:
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
