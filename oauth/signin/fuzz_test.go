package signin

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// FuzzPerson decides about claims of every shape.
func FuzzPerson(f *testing.F) {
	for _, seed := range []string{
		`{"sub":"1","preferred_username":"ada","email":"a@corp.example","email_verified":true,"groups":["x"]}`,
		`{"sub":1,"groups":{"x":[]},"email":"@corp.example"}`, `{}`, `{"a":{"b":{"c":["x"]}},"a.b.c":"y"}`, `{"sub":"1","usecases":"* a"}`,
	} {
		f.Add(seed, "a.b.c")
	}
	f.Fuzz(func(t *testing.T, raw, path string) {
		var claims map[string]any
		if json.Unmarshal([]byte(raw), &claims) != nil {
			return
		}
		p := &Provider{ID: "corp", Allow: Rule{path, []string{"x"}}, Domains: []string{"corp.example"}, UseCases: path}
		a, err := p.person(claims)
		if err != nil {
			return
		}
		if !strings.HasPrefix(a.Name, "corp:") || a.Admin || claims["email_verified"] != true {
			t.Errorf("%s gives %+v", raw, a)
		}
	})
}
