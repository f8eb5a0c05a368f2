package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
)

// TestTaskPage uses the page of a task in Chromium: it watches, answers, cancels, retries, shares and
// copies, as the owner, as an operator and with a link. RIALTO_SCREENSHOTS names a folder for
// pictures of every state.
func TestTaskPage(t *testing.T) {
	takesLong(t)
	t.Parallel()
	path, err := chromium()
	Need(t, err)
	addr, dir := freeAddress(t), t.TempDir()
	config := filepath.Join(dir, "rialto.yaml")
	if err := os.WriteFile(config, fmt.Appendf(nil, `
url: http://%s
database: %s
default_agent: claims-analyst
share_links: 7d
agents:
  - name: claims-analyst
    url: %s
  - name: crm
    url: %s
    credentials: {type: user}
  - name: archive
    url: http://127.0.0.1:1/
`, addr, filepath.Join(dir, "rialto.db"), analyst(t), crmAgent(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	output(t, password+"\n", "user", "add", username, "--admin", "--password-stdin", "--config", config)
	p := start(t, addr, "serve", "--config", config, "--listen", addr)
	script{"task.mjs", nil, []string{"RIALTO_URL=" + p.URL + "/mcp", "RIALTO_CHROMIUM=" + path}}.run(t, p)
}

// analyst has an answer of each kind.
func analyst(t *testing.T) string {
	return agentOf(t, &a2a.Card{Name: "Claims analyst", Description: "Knows the claims.", Version: "1.0.0"}, func(ctx context.Context, turn *a2aexec.Turn) error {
		switch text := turn.Message.Text(); {
		case strings.HasPrefix(text, "Book"):
			turn.AskForm("I can book the assessor. Which **day** and **place**?", json.RawMessage(assessor))
		case strings.HasPrefix(text, "Watch"):
			for i := range 8 {
				turn.Working(fmt.Sprintf("Read %d of 2,400 claims", 300*(i+1)))
			}
			<-ctx.Done()
			return ctx.Err()
		case strings.HasPrefix(text, "Settle"):
			turn.Working("Looking up claim 4711")
			turn.Fail("Claim 4711 is locked by another adjuster until 14:00. It cannot be settled while it is locked.")
		case strings.HasPrefix(text, "Delete"):
			turn.Reject("I do not delete claims.")
		case strings.HasPrefix(text, "Attack"):
			turn.Artifact(a2a.Artifact{Name: "</h3><script>alert(1)</script>\u202egnp.exe", Parts: []a2a.Part{
				a2a.TextPart("<script>alert(1)</script> [x](javascript:alert(1)) ![x](https://evil.example/p.png) <img src=https://evil.example/q.png onerror=alert(1)>\n\n" +
					strings.Repeat("|a|b|\n|-|-|\n", 2000)),
				{Content: a2a.Data(`[` + strings.TrimSuffix(strings.Repeat(`{"<b>k</b>":"<img src=x onerror=alert(1)>"},`, 5000), ",") + `]`)}}})
			turn.Complete("[sign out](/signout)")
		default:
			turn.Working("Reading the claims of October")
			turn.Artifact(report())
			turn.Artifact(figures())
			turn.Complete("The report for October is ready. **Storm damage** is up by a third; the two largest claims need a decision.")
		}
		return nil
	})
}

const assessor = `{"type": "object", "required": ["place", "day"], "properties": {
	"place": {"type": "string", "title": "Place", "description": "A town or a postal code", "maxLength": 80},
	"day": {"type": "string", "format": "date", "title": "Day"},
	"urgent": {"type": "boolean", "title": "It is urgent"},
	"kind": {"type": "string", "title": "Kind of damage", "enum": ["storm", "water", "fire"]}}}`

func report() a2a.Artifact {
	return a2a.Artifact{Name: "Claims in October", Description: "By cause, with what changed since September.", Parts: []a2a.Part{a2a.TextPart("## Summary\n\n" +
		"In October **1,284 claims** came in, 9 % more than in September. Two are above the limit of your office:\n\n" +
		"1. Claim `4711`, storm damage in Lisbon, €82,400\n2. Claim `4802`, a burst pipe in Porto, €61,900\n\n" +
		"| Cause | Claims | Change | Paid |\n|:--|--:|--:|--:|\n| Storm | 412 | +34 % | €1,204,300 |\n| Water | 388 | −2 % | €911,050 |\n| Theft | 259 | +1 % | €402,800 |\n| Fire | 61 | −11 % | €388,120 |\n\n" +
		"> Storm claims follow the gales of 12 and 19 October.\n\nThe method is described in the [handbook](https://handbook.example/claims).\n\n```sql\nSELECT cause, COUNT(*) FROM claims\nWHERE reported >= '2026-10-01' GROUP BY cause;\n```")}}
}

func figures() a2a.Artifact {
	type row struct {
		Claim string  `json:"claim"`
		Town  string  `json:"town"`
		Cause string  `json:"cause"`
		Paid  float64 `json:"paid_eur"`
		Open  bool    `json:"open"`
	}
	var rows []row
	for i := range 8 {
		rows = append(rows, row{fmt.Sprint(4700 + i*13), []string{"Lisbon", "Porto", "Faro", "Braga"}[i%4], []string{"storm", "water", "theft"}[i%3], 82400.5 / float64(i+1), i%3 == 0})
	}
	data, _ := json.Marshal(map[string]any{"month": "2026-10", "currency": "EUR", "claims": rows})
	chart := image.NewRGBA(image.Rect(0, 0, 560, 200))
	for x := range 560 {
		for y := range 200 {
			c := color.RGBA{255, 255, 255, 255}
			if bar := x / 80; x%80 > 16 && x%80 < 64 && y > 180-[]int{150, 140, 95, 30, 60, 110, 80}[bar%7] && y < 180 {
				c = color.RGBA{11, 102, 106, 255}
			}
			chart.Set(x, y, c)
		}
	}
	var picture bytes.Buffer
	_ = png.Encode(&picture, chart) // a buffer takes everything
	return a2a.Artifact{Name: "Figures", Parts: []a2a.Part{
		{Content: a2a.Data(data)}, {Content: a2a.Raw(picture.Bytes()), Filename: "claims-by-cause.png", MediaType: "image/png"},
		{Content: a2a.Raw(bytes.Repeat([]byte("claim;town;paid\n"), 900)), Filename: "claims-october.csv", MediaType: "text/csv"},
		{Content: a2a.Raw(pdf), Filename: "claims-by-cause.pdf", MediaType: "application/pdf"},
	}}
}

// pdf has one page.
const pdf = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]>>endobj
trailer<</Root 1 0 R>>
`
