package server

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"rialto/cmd/rialto/internal/compression"
	"rialto/cmd/rialto/internal/config"
	"rialto/oauth/authserver"
)

// TestEveryOperationIsOnThePage holds /docs against /openapi.json.
func TestEveryOperationIsOnThePage(t *testing.T) {
	r := newAPIRig(t)
	got := r.do("GET", "/docs", "", "")
	if got.status != http.StatusOK || !strings.HasPrefix(got.header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Fatalf("got %d %v", got.status, got.header)
	}
	page, err := html.Parse(strings.NewReader(got.body))
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode && n.Data == "summary" {
			words := strings.Fields(textOf(n))
			shown[words[0]+" "+words[1]] = true
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
	}
	walk(page)
	d := r.document()
	paths := d.whole["paths"].(map[string]any)
	for _, op := range d.operations() {
		if _, alias := paths[op.path].(map[string]any)["$ref"]; alias {
			if !strings.Contains(got.body, "<code>"+op.path+"</code>") {
				t.Errorf("the page does not name the address %s", op.path)
			}
			continue
		}
		if !shown[op.method+" "+op.path] {
			t.Errorf("%s %s is not on the page", op.method, op.path)
		}
	}
	if len(shown) < 40 {
		t.Errorf("got %d operations", len(shown))
	}
	for _, want := range []string{"a2a:publish", `tasks[].state`, "Bearer $TOKEN", `{&#34;message&#34;:&#34;echo hello&#34;`, "application/x-www-form-urlencoded"} {
		if !strings.Contains(got.body, want) {
			t.Errorf("the page does not have %s", want)
		}
	}
	for _, address := range regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(got.body, -1) {
		if a := address[1]; !strings.HasPrefix(a, "/") && !strings.HasPrefix(a, "#") || strings.HasPrefix(a, "//") {
			t.Errorf("the page leads to %s", a)
		}
	}
	if spanish := r.do("GET", "/docs", "", "", "Accept-Language: es"); !strings.Contains(spanish.body, "Parámetros") || !strings.Contains(spanish.body, "Encargar una tarea a un agente") || strings.Contains(spanish.body, "Give an agent a task") || spanish.header.Get("Content-Language") != "es" {
		t.Error("the page is not in Spanish")
	}
}

func textOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := range n.ChildNodes() {
		b.WriteString(textOf(c))
	}
	return b.String()
}

// BenchmarkDocs shows the description of the API, the longest page there is, and searches of it.
func BenchmarkDocs(b *testing.B) {
	spec, err := openAPI(authserver.New(authserver.Config{}, authserver.Stores{}).Documents())
	if err != nil {
		b.Fatal(err)
	}
	compress, err := compression.New()
	if err != nil {
		b.Fatal(err)
	}
	page := compress.Public(docsPage(&config.Config{}, spec))
	for _, path := range []string{"/docs", "/docs?q=task", "/docs?q=e"} {
		b.Run(path, func(b *testing.B) {
			r := httptest.NewRequest("GET", path, nil)
			r.Header.Set("Accept-Encoding", "gzip")
			for b.Loop() {
				w := httptest.NewRecorder()
				page.ServeHTTP(w, r)
				if w.Code != http.StatusOK {
					b.Fatal(w.Code)
				}
				b.ReportMetric(float64(w.Body.Len()), "bytes")
			}
		})
	}
}
