package config

import (
	"strings"
	"testing"

	"rialto/bridge/registry"
	"rialto/templates"
)

func TestWhatIsAddedNamesNoFilesOfThisMachine(t *testing.T) {
	for _, a := range []registry.Agent{
		{Name: "x", URL: "http://x", Card: registry.Card{Keys: "/etc/passwd"}},
		{Name: "x", URL: "file:///etc/passwd"},
		{Name: "x", URL: "http://x", Credentials: registry.Credentials{Secret: "a\nb"}},
		{Name: "tasks", URL: "http://x"},
		{Name: "x", URL: "http://x", Retention: -1},
	} {
		if CheckAdded(a) == nil {
			t.Errorf("%+v was accepted", a)
		}
	}
	whole := registry.Agent{Name: "x", URL: "http://x", Credentials: registry.Credentials{Type: typeAPIKey, In: "query", Name: "k", Secret: "s"}}
	if err := CheckAdded(whole); err != nil {
		t.Error(err)
	}
}

// The console says in Spanish what is wrong with the agent that its form describes.
func TestWhatIsWrongWithAnAgentIsSaidInSpanish(t *testing.T) {
	with := func(c registry.Credentials) registry.Agent {
		return registry.Agent{Name: "x", URL: "http://x", Credentials: c}
	}
	for _, a := range []registry.Agent{
		{Name: "Not a name", URL: "http://x"},
		{Name: "tasks", URL: "http://x"},
		{Name: "x", URL: "ftp://x"},
		{Name: "x", URL: "http://x", Protocol: "9"},
		{Name: "x", URL: "http://x", Binding: "X"},
		{Name: "x", URL: "http://x", UseCases: []string{"not one"}},
		{Name: "x", URL: "http://x", Retention: -1},
		{Name: "x", URL: "http://x", Card: registry.Card{Keys: "http://x"}},
		with(registry.Credentials{Secret: "a\nb"}),
		with(registry.Credentials{Type: "x", Secret: "s"}),
		with(registry.Credentials{Type: typeBasic, Secret: "s"}),
		with(registry.Credentials{Type: typeAPIKey, Secret: "s"}),
		with(registry.Credentials{Type: typeAPIKey, Name: "a b", Secret: "s"}),
		with(registry.Credentials{Type: "bearer"}),
		with(registry.Credentials{Type: "bearer", Secret: "s", TokenURL: "https://x"}),
		with(registry.Credentials{Type: "client_credentials", Secret: "s", ClientID: "i", TokenURL: "http://x.example"}),
		with(registry.Credentials{Type: "client_credentials", Secret: "s", TokenURL: "https://x.example"}),
		with(registry.Credentials{Type: TypeUser, ClientID: "i", Secret: "s"}),
	} {
		err := CheckAdded(a)
		if err == nil {
			t.Errorf("%+v was accepted", a)
			continue
		}
		if said, ok := templates.SpanishOf(err.Error(), true); !ok || strings.Contains(said, " is ") || strings.Contains(said, "set ") {
			t.Errorf("no Spanish for %q: got %q", err, said)
		}
	}
}
