package console

import (
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"rialto/bridge/directory"
)

// fully is an agent with all that the API and the command line can set.
func fully(c directory.Credentials) directory.AgentConfig {
	a := directory.AgentConfig{
		Name: "second", URL: "https://second.example/a2a", Protocol: "0.3", Binding: "JSONRPC", UseCases: []string{"sales", "claims"},
		Skills: []directory.SkillRule{{ID: "count", UseCases: []string{"sales"}}}, Retention: directory.Duration(36e11),
		Card: directory.CardKeys{Keys: "https://keys.example/jwks"}, Credentials: c,
	}
	fields := reflect.ValueOf(&a).Elem()
	for i := range fields.NumField() {
		switch field := fields.Field(i); {
		case fields.Type().Field(i).Tag.Get("json") == "-" || !field.IsZero():
		case field.Kind() == reflect.Bool:
			field.SetBool(true)
		case field.Kind() == reflect.String:
			field.SetString("set")
		}
	}
	return a
}

// sent returns what a browser sends of the form of a page.
func (p shownPage) sent(id string) []string {
	var form []string
	for _, n := range p.all("#" + id + " form input") {
		if kind := attr(n, "type"); kind != "checkbox" || has(n, "checked") {
			form = append(form, attr(n, "name"), attr(n, "value"))
		}
	}
	for _, n := range p.all("#" + id + " form textarea") {
		form = append(form, attr(n, "name"), words(n))
	}
	for _, n := range p.all("#" + id + " form select") {
		value := ""
		for o := range n.Descendants() {
			if o.Data == "option" && has(o, "selected") {
				value = attr(o, "value")
			}
		}
		form = append(form, attr(n, "name"), value)
	}
	return form
}

func has(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}

// but puts a value in the place of one of a form.
func but(form []string, name, value string) []string {
	form = append([]string{}, form...)
	for i := 0; i < len(form); i += 2 {
		if form[i] == name {
			form[i+1] = value
		}
	}
	return form
}

func TestSavingAnAgentLosesNothing(t *testing.T) {
	for name, c := range map[string]directory.Credentials{
		"as its card asks": {User: "us", Secret: "s"},
		"a header":         {Header: "X-Key", Scheme: "Key", Secret: "s"},
		"bearer":           {Type: "bearer", Secret: "s"},
		"basic":            {Type: "basic", User: "us", Secret: "s"},
		"a key":            {Type: "api_key", In: "query", Name: "key", Secret: "s"},
		"tokens":           {Type: "client_credentials", TokenURL: "https://as.example/token", ClientID: "us", ClientAuth: "post", Scopes: []string{"a", "b"}, Audience: "them", Resource: "https://second.example", Secret: "s"},
		"exchanged tokens": {Type: "token_exchange", TokenURL: "https://as.example/token", ClientID: "us", Audience: "them", Secret: "s"},
		"each user":        {Type: "user", ClientID: "us", Scopes: []string{"a"}, Resource: "https://second.example"},
		"none":             {},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			b := r.as("root")
			want := fully(c)
			r.must(r.Admin.Agents.Registry.Add(t.Context(), want, nil))
			form := b.get("/admin/agents/change?name=second").sent("new")
			if p := b.post("/admin/agents/change", but(form, "retention", "90d")...); p.Status != http.StatusSeeOther {
				t.Fatalf("got %d %s", p.Status, p.Text())
			}
			want.Retention = directory.Duration(90 * 24 * 36e11)
			if got, ok := r.Admin.Agents.Registry.Config("second"); !ok || !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestAnotherTypeOfCredentialsLeavesNothingOfTheOldOne(t *testing.T) {
	r := newRig(t)
	b := r.as("root")
	r.must(r.Admin.Agents.Registry.Add(t.Context(), fully(directory.Credentials{Type: "api_key", In: "query", Name: "key", Secret: "s"}), nil))
	form := b.get("/admin/agents/change?name=second").sent("new")
	if p := b.post("/admin/agents/change", but(but(form, "auth", "basic"), "auth_user", "us")...); p.Status != http.StatusSeeOther {
		t.Fatalf("got %d %s", p.Status, p.Text())
	}
	got, _ := r.Admin.Agents.Registry.Config("second")
	if want := (directory.Credentials{Type: "basic", User: "us", Secret: "s"}); !reflect.DeepEqual(got.Credentials, want) {
		t.Errorf("got %+v, want %+v", got.Credentials, want)
	}
}

func TestASecretGoesToNoOtherHostUnlessItIsTypedAgain(t *testing.T) {
	for _, field := range []string{"url", "auth_token_url"} {
		r := newRig(t)
		b := r.as("root")
		was := fully(directory.Credentials{Type: "client_credentials", TokenURL: "https://as.example/token", ClientID: "us", Secret: "s"})
		r.must(r.Admin.Agents.Registry.Add(t.Context(), was, nil))
		form := but(b.get("/admin/agents/change?name=second").sent("new"), field, "https://other.example/x")
		p := b.post("/admin/agents/change", form...)
		if p.Status != http.StatusUnprocessableEntity || !strings.Contains(p.Text(), "the secret was for another host") {
			t.Fatalf("%s: got %d %s, want the secret asked for", field, p.Status, p.Text())
		}
		if got, _ := r.Admin.Agents.Registry.Config("second"); !reflect.DeepEqual(got, was) {
			t.Errorf("%s: got %+v, want it as it was", field, got)
		}
		again := but(p.sent("new"), "secret", "typed")
		if p := b.post("/admin/agents/change", again...); p.Status != http.StatusSeeOther {
			t.Fatalf("%s: got %d %s", field, p.Status, p.Text())
		}
		got, _ := r.Admin.Agents.Registry.Config("second")
		if u, err := url.Parse(got.URL); err != nil || got.Credentials.Secret != "typed" || !got.SkillsAsTools || field == "url" && u.Host != "other.example" {
			t.Errorf("%s: got %+v", field, got)
		}
	}
}

func TestSkillsAreMadeToolsByABox(t *testing.T) {
	r := newRig(t)
	b := r.as("root")
	p := b.get("/admin/agents/new")
	form := append(but(but(but(p.sent("new"), "name", "second"), "url", "https://second.example"), "do", ""), "skills_as_tools", "yes")
	if p := b.post("/admin/agents/new", form...); p.Status != http.StatusSeeOther {
		t.Fatalf("got %d %s", p.Status, p.Text())
	}
	if a, _ := r.Admin.Agents.Registry.Config("second"); !a.SkillsAsTools {
		t.Error("the box does nothing")
	}
	p = b.get("/admin/agents/change?name=second")
	if n := p.all("input[name=skills_as_tools]"); len(n) != 1 || !has(n[0], "checked") {
		t.Error("the form does not show what is set")
	}
	if p := b.post("/admin/agents/change", but(p.sent("new"), "skills_as_tools", "")...); p.Status != http.StatusSeeOther {
		t.Fatalf("got %d %s", p.Status, p.Text())
	}
	if a, _ := r.Admin.Agents.Registry.Config("second"); a.SkillsAsTools {
		t.Error("the box cannot be taken away")
	}
}

func TestAFieldHasALabelForEachTypeThatShowsIt(t *testing.T) {
	for _, f := range agentFields()["credentials"] {
		var named []string
		for _, label := range f.Labels {
			named = append(named, label.For...)
		}
		if f.Label == "" && !slices.Equal(named, f.For) {
			t.Errorf("%s: shown for %v, with labels for %v", f.Name, f.For, named)
		}
	}
}

func TestTheFormOffersEveryGenerationAndBinding(t *testing.T) {
	for name, values := range map[string][]string{
		"protocol": texts(directory.Generations), "binding": texts(directory.Bindings),
	} {
		for _, f := range agentFields()["settings"] {
			var offered []string
			for _, o := range f.Options {
				offered = append(offered, o.Value)
			}
			if f.Name == name && !slices.Equal(offered[1:], values) {
				t.Errorf("%s: got %v, want %v", name, offered[1:], values)
			}
		}
	}
}

func texts[T ~string](values []T) (all []string) {
	for _, v := range values {
		all = append(all, string(v))
	}
	return all
}
