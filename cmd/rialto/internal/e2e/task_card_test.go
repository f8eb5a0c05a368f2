package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
)

// TestTaskCard works with the task card in Chromium, in the host of the official package (AppBridge
// of @modelcontextprotocol/ext-apps; its basic-host is not on npm) and in that of the Inspector. RIALTO_DOC_IMAGES names the
// folder of the pictures in the documentation, to draw them again.
func TestTaskCard(t *testing.T) {
	takesLong(t)
	t.Parallel()
	path, err := chromium()
	Need(t, err)
	gate := &gates{open: map[string]chan struct{}{}}
	web := httptest.NewServer(gate)
	t.Cleanup(web.Close)
	addr, dir := freeAddress(t), t.TempDir()
	config := filepath.Join(dir, "rialto.yaml")
	if err := os.WriteFile(config, fmt.Appendf(nil, `
url: http://%s
database: %s
agents:
  - name: analyst
    url: %s
    skills_as_tools: true
`, addr, filepath.Join(dir, "rialto.db"), analystAgent(t, gate)), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, password+"\n", "user", "add", username, "--password-stdin", "--config", config)
	token := output(t, "", "token", "--user", username, "--config", config)
	p := start(t, addr, "serve", "--config", config, "--listen", addr)
	env := []string{"RIALTO_URL=" + p.URL + "/mcp", "RIALTO_CHROMIUM=" + path, "RIALTO_TOKEN=" + strings.TrimSpace(token), "RIALTO_GATE=" + web.URL}
	script{"taskcard.mjs", nil, env}.run(t, p)
	env = append(env, "INSPECTOR_HOME="+dir)
	for _, name := range []string{"CLIENT_PORT", "MCP_SANDBOX_PORT", "MCP_APP_ORIGIN_PORT"} {
		_, port, _ := strings.Cut(freeAddress(t), ":")
		env = append(env, name+"="+port)
	}
	script{"taskcardinspector.mjs", nil, env}.run(t, p)
	if folder := os.Getenv("RIALTO_DOC_IMAGES"); folder != "" {
		shrink(t, folder)
	}
}

// gates hold an agent back until the script opens them: GET /NAME.
type gates struct {
	mu   sync.Mutex
	open map[string]chan struct{}
}

func (g *gates) of(name string) chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open[name] == nil {
		g.open[name] = make(chan struct{})
	}
	return g.open[name]
}

func (g *gates) wait(ctx context.Context, name string) error {
	select {
	case <-g.of(name):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *gates) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	close(g.of(strings.TrimPrefix(r.URL.Path, "/")))
}

// hostile is what a rogue agent writes to take over the chat.
const hostile = "<img src=x onerror=\"parent.postMessage('taken','*')\"> [click](javascript:alert(1)) \u202Egnp.exe <script>alert(1)</script> https://example.com/ok"

// analystAgent does what the first word of a message says.
func analystAgent(t *testing.T, gate *gates) string {
	form := json.RawMessage(`{"type": "object", "title": "The report", "required": ["period", "region"], "properties": {
		"period": {"type": "string", "title": "Period", "description": "The quarter that the report is about", "enum": ["Q1", "Q2", "Q3", "Q4"]},
		"region": {"type": "string", "title": "Region", "maxLength": 80},
		"claims": {"type": "integer", "title": "Claims at least", "minimum": 1, "maximum": 999},
		"mail": {"type": "string", "format": "email", "title": "Send a copy to"},
		"closed": {"type": "boolean", "title": "With closed claims", "default": true}}}`)
	card := &a2a.Card{Name: "Claims analyst", Description: "Knows the claims of an insurer.", Version: "1.0.0", Capabilities: a2a.Capabilities{Streaming: true},
		Skills: []a2a.Skill{{ID: "report", Name: "Write a report", Description: "Writes a report about claims."}}}
	return agentOf(t, card, func(ctx context.Context, turn *a2aexec.Turn) error {
		word, name, _ := strings.Cut(turn.Message.Text(), " ")
		switch word {
		case "Compare":
			for i, step := range []string{"Reading the table claims: 12,480 rows", "Grouping by region and quarter", "Checking the sums against the ledger"} {
				turn.Working(step)
				if err := gate.wait(ctx, fmt.Sprint("compare", i)); err != nil {
					return err
				}
			}
			turn.Artifact(a2a.Artifact{Name: "Claims by region", Parts: []a2a.Part{{Content: a2a.Data(regions())}}})
			turn.Artifact(a2a.Artifact{Name: "claims.csv", Parts: []a2a.Part{{Content: a2a.Raw("region,claims\nNorth,1204\n"), Filename: "claims.csv", MediaType: "text/csv"}}})
			turn.Complete("The **North** has the most open claims, and the South pays the most per claim.\n\n- 12 regions, 6,104 claims\n- See [the method](https://example.com/method) for how costs are counted")
		case "List":
			turn.Artifact(a2a.Artifact{Name: "All claims", Parts: []a2a.Part{{Content: a2a.Data(claims(10_000))}}})
			turn.Complete("Here they are.")
		case "Draw":
			turn.Artifact(a2a.Artifact{Name: "chart.png", Parts: []a2a.Part{{Content: a2a.Raw(chart(t)), Filename: "chart.png", MediaType: "image/png"}}})
			turn.Artifact(a2a.Artifact{Name: "Keys", Parts: []a2a.Part{{Content: a2a.Data(`{"` + strings.Repeat("a_very_long_key_", 20) + `":"the value of a long key"}`)}}})
			turn.Artifact(a2a.Artifact{Name: "Notes", Parts: []a2a.Part{{Content: a2a.Text(notes)}}})
			turn.Complete("Drawn.")
		case "Choose":
			turn.AskForm("Which regions?", choices)
		case "Write":
			turn.AskForm("Which report shall I write? I have the claims of all regions since January.", form)
		case "Watch":
			turn.Working("Waiting for " + name)
			<-ctx.Done()
			return ctx.Err()
		case "Follow":
			turn.Working("Reading the claims")
			if err := gate.wait(ctx, "follow"); err != nil {
				return err
			}
			turn.Complete("Followed to the end.")
		case "Break":
			turn.Fail("The data warehouse did not answer in time. The claims of the third quarter are missing.")
		case "Hostile":
			turn.Artifact(a2a.Artifact{Name: hostile, Parts: []a2a.Part{{Content: a2a.Text(hostile)}, {Content: a2a.URL("javascript:alert(1)"), Filename: "x"}}})
			turn.Complete(hostile + strings.Repeat(" long", 5000))
		default:
			turn.Complete("Written: " + turn.Message.Text())
		}
		return nil
	})
}

// choices is a form with several choices, and with a limit that the card leaves to the server.
var choices = json.RawMessage(`{"type": "object", "title": "The regions", "required": ["regions"], "properties": {
	"regions": {"type": "array", "title": "Regions", "minItems": 2, "items": {"enum": ["North", "South", "East"]}},
	"years": {"type": "array", "title": "Years", "items": {"type": "integer", "minimum": 2020}}}}`)

// notes has a table with bars in its cells, nested lists, and 38 KB of blanks before words.
var notes = "| rule | means |\n|---|---|\n| a \\| b | either |\n\n- one\n  - inner\n    1. innermost\n- two\n\n1" + strings.Repeat(" ", 19<<10) + "x\n\n|" + strings.Repeat(" ", 19<<10) + "y\n"

// claims is a table of some rows, in no order.
func claims(n int) string {
	rows := make([][]any, n)
	for i := range rows {
		at := i * 7919 % n
		rows[i] = []any{at, fmt.Sprintf("Claimant %05d", (at*31)%n), []string{"North", "South", "East", "West"}[at%4], float64(at*37%100000) / 4, "2026-01-31"}
	}
	b, err := json.Marshal(map[string]any{"columns": []string{"id", "claimant", "region", "cost", "day"}, "rows": rows})
	if err != nil {
		panic(err) // it has strings and numbers
	}
	return string(b)
}

// chart is a picture that is too large to be in a result.
func chart(t *testing.T) string {
	var b bytes.Buffer
	img := image.NewGray(image.Rect(0, 0, 200, 200))
	_, _ = rand.NewChaCha8([32]byte{}).Read(img.Pix) // always succeeds
	if err := png.Encode(&b, img); err != nil || b.Len() < 24_000 {
		t.Errorf("got a picture of %d bytes, %v", b.Len(), err)
	}
	return b.String()
}

// regions is a table with more rows than the card shows at once.
func regions() string {
	var rows []map[string]any
	for i, name := range []string{"North", "South", "East", "West", "Coast", "Highlands", "Lakes", "Capital", "Islands", "Border", "Valley", "Plains"} {
		rows = append(rows, map[string]any{"region": name, "claims": 1204 - 93*i, "open": 311 - 17*i, "cost": 18234.5 + 977.25*float64(i*i)})
	}
	b, err := json.Marshal(map[string]any{"columns": []string{"region", "claims", "open", "cost"}, "rows": rows})
	if err != nil {
		panic(err) // it has strings and numbers
	}
	return string(b)
}
