package server

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/gorilla/mux"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/cmd/rialto/internal/config"
	"rialto/oauth"
)

// document is the OpenAPI document as a client reads it.
type document struct {
	t     *testing.T
	whole map[string]any
}

func (r *rig) document() *document {
	r.t.Helper()
	got := r.do("GET", "/openapi.json", "", "")
	d := &document{t: r.t}
	got.decode(r.t, &d.whole)
	if got.status != http.StatusOK || d.whole["openapi"] != "3.1.0" {
		r.t.Fatalf("got %d %.200s", got.status, got.body)
	}
	return d
}

// at follows references until v is none.
func (d *document) at(v any) map[string]any {
	d.t.Helper()
	for {
		m, _ := v.(map[string]any)
		ref, ok := m["$ref"].(string)
		if !ok {
			return m
		}
		v = d.whole
		for _, step := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
			step, err := url.PathUnescape(step)
			if err != nil {
				d.t.Fatal(err)
			}
			step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
			if v, ok = v.(map[string]any)[step]; !ok {
				d.t.Fatalf("%s leads nowhere", ref)
			}
		}
	}
}

// operation is a documented operation.
type operation struct {
	method, path string
	about        map[string]any
	parameters   []map[string]any
}

func (d *document) operations() (all []operation) {
	for path, item := range d.whole["paths"].(map[string]any) {
		item := d.at(item)
		for method, about := range item {
			if method == "parameters" {
				continue
			}
			op := operation{strings.ToUpper(method), path, about.(map[string]any), nil}
			for _, list := range []any{item["parameters"], op.about["parameters"]} {
				params, _ := list.([]any)
				for _, p := range params {
					op.parameters = append(op.parameters, d.at(p))
				}
			}
			all = append(all, op)
		}
	}
	slices.SortFunc(all, func(a, b operation) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	return all
}

var variable = regexp.MustCompile(`\{[^}]*\}`)

// TestEveryRouteIsDocumented fails where something is served that openapi.yaml
// does not know: say there what it does.
func TestEveryRouteIsDocumented(t *testing.T) {
	r := newAPIRig(t)
	d := r.document()
	documented := map[string]bool{}
	for path := range d.whole["paths"].(map[string]any) {
		documented[variable.ReplaceAllString(path, "{}")] = true
	}
	routes, err := r.routes()
	if err != nil {
		t.Fatal(err)
	}
	err = routes.Walk(func(route *mux.Route, _ *mux.Router, _ []*mux.Route) error {
		if route.GetHandler() == nil {
			return nil // the routes of a door, which follow
		}
		template, err := route.GetPathTemplate()
		if err != nil {
			return err
		}
		pattern, err := route.GetPathRegexp()
		if err != nil {
			return err
		}
		place := variable.ReplaceAllString(template, "{}")
		known := documented[place]
		if !strings.HasSuffix(pattern, "$") { // all that begins so
			known = slices.ContainsFunc(d.operations(), func(op operation) bool { return strings.HasPrefix(op.path, template) })
		}
		if !known {
			t.Errorf("%s is served and not documented: describe it in cmd/rialto/internal/server/openapi.yaml", template)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestEveryOperationAnswersAsDocumented makes the example request of each
// operation and holds the answer against its schema, with a token and without.
func TestEveryOperationAnswersAsDocumented(t *testing.T) {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	r := newRig(t, config.Agent{Name: "one", URL: a2atest.Serve(t, agent, agent.Card(), a2a.V10)}) // and primary
	if err := r.oauth.Accounts.SetAdmin(t.Context(), "alice", true); err != nil {
		t.Fatal(err)
	}
	all := r.token("alice", oauth.ScopeTools, oauth.ScopeDiscover, oauth.ScopePublish, oauth.ScopeAdmin)
	d := r.document()
	for _, op := range d.operations() {
		if strings.HasPrefix(op.path, "/hooks/") && r.webhooks.inbox == nil {
			continue
		}
		t.Run(op.method+" "+op.path, func(t *testing.T) {
			got := r.example(d, op, all)
			d.holds(t, op, got)
			if tags := fmt.Sprint(op.about["tags"]); got.status >= 300 && (tags == "[agents]" || tags == "[tasks]") {
				t.Errorf("got %d %s for the example", got.status, got.body)
			}
			if op.needsToken() {
				refused := r.example(d, op, "")
				if d.holds(t, op, refused); refused.status != http.StatusUnauthorized {
					t.Errorf("got %d without a token", refused.status)
				}
			}
		})
	}
}

// needsToken tells whether the operation is refused to those without one. An
// empty requirement makes a token optional.
func (op operation) needsToken() bool {
	needs, said := op.about["security"].([]any)
	return !said || len(needs) > 0 && !slices.ContainsFunc(needs, func(n any) bool { return len(n.(map[string]any)) == 0 })
}

// example makes the example request of an operation, about a task that waits
// for input.
func (r *rig) example(d *document, op operation, token string) reply {
	r.t.Helper()
	query := url.Values{}
	path := op.path
	for _, p := range op.parameters {
		name, example := p["name"].(string), p["example"]
		if name == "task" {
			example = r.create(r.full("alice"), "one", `{"message":"ask which?","wait":20}`).ID
		}
		switch {
		case example == nil:
		case p["in"] == "path":
			path = strings.ReplaceAll(path, "{"+name+"}", fmt.Sprint(example))
		case p["in"] == "query":
			query.Set(name, fmt.Sprint(example))
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	body, kind := "", ""
	content, _ := d.at(op.about["requestBody"])["content"].(map[string]any)
	for kind = range content {
		body = written(kind, content[kind].(map[string]any)["example"])
	}
	return r.try(op.method, path, token, kind, body)
}

func written(kind string, example any) string {
	if kind == "application/json" {
		b, _ := json.Marshal(example)
		return string(b)
	}
	form := url.Values{}
	for name, value := range example.(map[string]any) {
		form.Set(name, fmt.Sprint(value))
	}
	return form.Encode()
}

// try is do for answers that may be streams without an end, or lead elsewhere.
func (r *rig) try(method, path, token, kind, body string) reply {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.cfg.Load().URL+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		req.Header.Set("Content-Type", kind)
	}
	req.Header.Set("Accept", "application/json, text/event-stream, text/html")
	client := &http.Client{Timeout: 30 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		r.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	var b []byte
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		if b, err = io.ReadAll(resp.Body); err != nil {
			r.t.Fatalf("%s %s: %v", method, path, err)
		}
	}
	return reply{resp.StatusCode, resp.Header, string(b)}
}

// holds checks an answer against what is documented of it.
func (d *document) holds(t *testing.T, op operation, got reply) {
	t.Helper()
	responses := op.about["responses"].(map[string]any)
	documented, ok := responses[fmt.Sprint(got.status)]
	if !ok {
		documented, ok = responses[fmt.Sprint(got.status/100, "XX")]
	}
	if !ok {
		t.Errorf("got %d, which is not documented: %s", got.status, got.body)
		return
	}
	content, _ := d.at(documented)["content"].(map[string]any)
	kind, _, _ := mime.ParseMediaType(got.header.Get("Content-Type"))
	if len(content) == 0 || content["*/*"] != nil {
		return
	}
	media, ok := content[kind].(map[string]any)
	if !ok {
		t.Errorf("got %d of %q, which is not documented: %.200s", got.status, kind, got.body)
		return
	}
	if strings.HasSuffix(kind, "json") {
		d.valid(t, media["schema"], got.body)
	}
}

// valid checks a JSON text against a schema of the document.
func (d *document) valid(t *testing.T, schema any, text string) {
	t.Helper()
	root := map[string]any{"$defs": d.at(map[string]any{"$ref": "#/components/schemas"}), "allOf": []any{schema}}
	b, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(b), "#/components/schemas/", "#/$defs/")), &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %.200s", err, text)
	}
	if err := resolved.Validate(v); err != nil {
		t.Errorf("%.300s does not fit: %v", text, err)
	}
}

// TestExamplesAreWhatTheyShow holds each example of an answer against the schema
// that it is of.
func TestExamplesAreWhatTheyShow(t *testing.T) {
	d := newAPIRig(t).document()
	shown := 0
	for name, schema := range d.at(map[string]any{"$ref": "#/components/schemas"}) {
		if example, ok := d.at(schema)["example"]; ok {
			shown++
			t.Run(name, func(t *testing.T) { d.valid(t, schema, written("application/json", example)) })
		}
	}
	if shown < 15 {
		t.Errorf("got %d examples", shown)
	}
}
