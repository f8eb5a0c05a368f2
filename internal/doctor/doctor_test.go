package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func failures(r *Report) []string {
	var ids []string
	for _, s := range r.Results {
		if s.Status == Failed {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

func TestAHealthyServerIsHealthy(t *testing.T) {
	g := newRig(t, nil)
	var begun []string
	r := g.examine(t, func(d *Doctor) { d.Checking = func(title string) { begun = append(begun, title) } })
	if len(begun) != len(r.Results) || begun[0] != r.Results[0].Title {
		t.Errorf("got %d titles, want those of the %d checks", len(begun), len(r.Results))
	}
	var text strings.Builder
	r.WriteText(&text, false, Status.Mark)
	if !r.Healthy() {
		t.Errorf("got failures:\n%s", text.String())
	}
	for _, s := range r.Results {
		local := slices.Contains([]string{"https", "public", "ipv4", "tls"}, s.ID)
		if s.Status == Skipped && !local {
			t.Errorf("%s was not tried: %s", s.ID, s.Got)
		}
	}
	if r.Requests > 100 {
		t.Errorf("got %d requests, want at most 100", r.Requests)
	}
}

// TestAnEmptyDocumentIsNoFault: what fetch returns may have no words. The doctor said that "text"
// was missing.
func TestAnEmptyDocumentIsNoFault(t *testing.T) {
	for text, want := range map[string]Status{`"text":""`: Passed, `"text":null`: Failed, `"txt":"words"`: Failed} {
		doc := json.RawMessage(`{"id":"1","title":"One",` + text + `,"url":"https://example.com/1"}`)
		r := newRig(t, func(x *exchange) {
			if bytes.Contains(x.body, []byte(`"id":"1"`)) && bytes.Contains(x.body, []byte(`"fetch"`)) {
				x.inResult(func(m map[string]any) {
					m["structuredContent"], m["content"] = doc, []any{map[string]any{"type": "text", "text": string(doc)}}
				})
			}
		}).examine(t)
		i := slices.IndexFunc(r.Results, func(s Result) bool { return s.ID == "fetch" })
		if i < 0 || r.Results[i].Status != want {
			t.Errorf("%s: got %+v, want %s", text, r.Results[i], want)
		}
	}
}

func TestReportsHoldNoSecret(t *testing.T) {
	spoilers := map[string]func(*exchange){
		"healthy": nil,
		"a server that repeats what it should not": func(x *exchange) {
			if x.r.URL.Path == "/mcp" && x.r.Header.Get("Authorization") != "" {
				x.fault(500, -32603, nil)
				x.edit(func(m map[string]any) {
					m["error"].(map[string]any)["message"] = "bad " + x.r.Header.Get("Authorization")
				})
			}
			if x.says("refresh_token=") {
				x.refuse(400, string(x.body))
			}
		},
	}
	for name, spoil := range spoilers {
		t.Run(name, func(t *testing.T) {
			g := newRig(t, spoil)
			r := g.examine(t)
			b, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			if len(g.issued) == 0 {
				t.Fatal("nothing secret was issued")
			}
			for _, secret := range g.issued {
				if strings.Contains(string(b), secret) {
					t.Errorf("the report holds %s:\n%s", secret, b)
				}
			}
		})
	}
}

func TestAGivenTokenIsNeitherRefreshedNorRevoked(t *testing.T) {
	g := newRig(t, func(x *exchange) {
		if x.at("POST /revoke") || x.says("refresh_token=access-given") {
			t.Errorf("got %s %s", x.r.Method, x.r.URL.Path)
		}
	})
	g.live["access-given"] = true
	if r := g.examine(t, func(d *Doctor) { d.Token = "access-given" }); !r.Healthy() {
		t.Errorf("got failures %v", failures(r))
	}
}

func TestOnlyReadOnlyToolsAreCalled(t *testing.T) {
	g := newRig(t, func(x *exchange) {
		if x.says(`"name":"launch"`) {
			t.Error("launch was called")
		}
	})
	g.examine(t)
}

func TestAClientHasOnlyItsChecks(t *testing.T) {
	g := newRig(t, func(x *exchange) {
		if x.at("GET /mcp") {
			x.answer(405, "text/plain", "") // which only Codex minds
		}
	})
	if r := g.examine(t, func(d *Doctor) { d.Client = Codex }); r.Healthy() || !slices.Contains(r.Broken(), Codex) {
		t.Errorf("Codex: got failures %v", failures(r))
	}
	r := g.examine(t, func(d *Doctor) { d.Client = Claude })
	if !r.Healthy() {
		t.Errorf("Claude: got failures %v", failures(r))
	}
	if slices.ContainsFunc(r.Results, func(s Result) bool { return s.ID == "get-401" }) {
		t.Error("Claude: got a step that is Codex's")
	}
}

func TestRequestsAreBounded(t *testing.T) {
	n := 0
	g := newRig(t, func(*exchange) { n++ })
	r := g.examine(t, func(d *Doctor) { d.MaxRequests = 12 })
	if r.Requests > 12 {
		t.Errorf("got %d requests, want at most 12", r.Requests)
	}
	if failed := failures(r); r.Healthy() || len(failed) > 0 {
		t.Errorf("got healthy %v, failures %v; want an examination cut short without failures", r.Healthy(), failed)
	}
	if n > 12+3 { // what is given back afterwards
		t.Errorf("the server saw %d requests", n)
	}
}

func TestTheGrantIsRevoked(t *testing.T) {
	revoked := false
	g := newRig(t, func(x *exchange) { revoked = revoked || x.at("POST /revoke") })
	g.examine(t, func(d *Doctor) { d.Client = Codex }) // whose steps do not revoke
	if len(g.issued) == 0 || !revoked {
		t.Errorf("got %d secrets issued, revoked %v", len(g.issued), revoked)
	}
}

func TestClientsAreRemovedWhereTheServerSupportsIt(t *testing.T) {
	var removed []string
	var g *rig
	g = newRig(t, func(x *exchange) {
		switch {
		case x.at("POST /register") && x.w.Code == http.StatusCreated:
			x.edit(func(m map[string]any) {
				m["registration_client_uri"] = g.url + "/register/" + m["client_id"].(string)
				m["registration_access_token"] = "manage-" + m["client_id"].(string)
			})
		case x.r.Method == http.MethodDelete && strings.HasPrefix(x.r.URL.Path, "/register/"):
			id := strings.TrimPrefix(x.r.URL.Path, "/register/")
			if x.r.Header.Get("Authorization") == "Bearer manage-"+id {
				removed = append(removed, id)
			}
		}
	})
	g.examine(t)
	if len(removed) != 2 {
		t.Errorf("got %d clients removed, want 2", len(removed))
	}
}

func TestTimeIsBounded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	g := newRig(t, func(x *exchange) {
		if x.at("POST /register") {
			cancel()
		}
	})
	r := (&Doctor{}).Examine(ctx, g.url+"/mcp")
	if failed := failures(r); r.Healthy() || !r.CutShort || len(failed) > 0 {
		t.Errorf("got cut short %v, failures %v", r.CutShort, failed)
	}
}

func TestTextOfServersIsFitForATerminal(t *testing.T) {
	g := newRig(t, resource("resource", "https://example.com/\x1b[2J\u202e"+strings.Repeat("x", 5000)))
	var text strings.Builder
	g.examine(t).WriteText(&text, false, Status.Mark)
	if strings.ContainsAny(text.String(), "\x1b\u202e") || strings.Contains(text.String(), strings.Repeat("x", 500)) {
		t.Errorf("got %q", text.String())
	}
}

func TestAPasswordInTheURLIsNeitherShownNorSent(t *testing.T) {
	g := newRig(t, func(x *exchange) { t.Errorf("got %s %s", x.r.Method, x.r.URL.Path) })
	r := (&Doctor{}).Examine(t.Context(), strings.Replace(g.url, "//", "//ada:open-sesame@", 1)+"/mcp")
	if b, _ := json.Marshal(r); strings.Contains(string(b), "open-sesame") || r.Healthy() {
		t.Errorf("got %s", b)
	}
}

func FuzzParameters(f *testing.F) {
	f.Add(`resource_metadata="https://a.example/", scope="b c", error=d`)
	f.Add(`a="\"", =, b="`)
	f.Fuzz(func(t *testing.T, s string) {
		for name, value := range parameters(s) {
			if len(name) > 3*len(s) || len(value) > len(s) { // bytes that are not UTF-8 become longer
				t.Errorf("%q: got %q, %q", s, name, value)
			}
		}
	})
}

func TestNamesOfChecksAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range checks() {
		if seen[s.ID] || s.Title == "" || s.Expect == "" || s.Fix == "" {
			t.Errorf("the step %q is double or has no words", s.ID)
		}
		if examiners[s.ID] == nil || !slices.Contains([]string{"", "address", "login"}, s.Of) {
			t.Errorf("the step %q cannot be examined", s.ID)
		}
		for _, name := range s.Needs {
			if needs[name] == nil {
				t.Errorf("the step %q needs %q, which is nothing", s.ID, name)
			}
		}
		seen[s.ID] = true
	}
	if len(seen) != len(examiners) {
		t.Errorf("got %d steps and %d functions", len(seen), len(examiners))
	}
	for _, c := range causes() {
		if detectors[c.ID] == nil {
			t.Errorf("the cause %q cannot be recognized", c.ID)
		}
	}
}

// Healthy tells whether the doctor came to the end and no check failed.
func (r *Report) Healthy() bool { return !r.CutShort && len(r.With(Failed)) == 0 }

// Broken returns the clients that break on a check that failed.
func (r *Report) Broken() []Client {
	return slices.DeleteFunc(Clients(), func(c Client) bool {
		return !slices.ContainsFunc(r.Results, func(s Result) bool { return slices.Contains(s.Breaks, c) })
	})
}
