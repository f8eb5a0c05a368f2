package config

import (
	"strings"
	"testing"

	"rialto/bridge/directory"
	"rialto/internal/i18n"
	"rialto/templates"
)

func TestAddedAgentsCannotNameFiles(t *testing.T) {
	for _, a := range []directory.AgentConfig{
		{Name: "x", URL: "http://x", Card: directory.CardKeys{Keys: "/etc/passwd"}},
		{Name: "x", URL: "file:///etc/passwd"},
		{Name: "x", URL: "http://x", Credentials: directory.Credentials{Secret: "a\nb"}},
		{Name: "tasks", URL: "http://x"},
		{Name: "x", URL: "http://x", Retention: -1},
	} {
		if CheckAdded(a) == nil {
			t.Errorf("%+v was accepted", a)
		}
	}
	whole := directory.AgentConfig{Name: "x", URL: "http://x", Credentials: directory.Credentials{Type: typeAPIKey, In: "query", Name: "k", Secret: "s"}}
	if err := CheckAdded(whole); err != nil {
		t.Error(err)
	}
}

// The console says in Spanish what is wrong with the agent that its form describes.
func TestErrorsOfAgentsHaveSpanish(t *testing.T) {
	with := func(c directory.Credentials) directory.AgentConfig {
		return directory.AgentConfig{Name: "x", URL: "http://x", Credentials: c}
	}
	for _, a := range []directory.AgentConfig{
		{Name: "Not a name", URL: "http://x"},
		{Name: "tasks", URL: "http://x"},
		{Name: "x", URL: "ftp://x"},
		{Name: "x", URL: "http://x", Protocol: "9"},
		{Name: "x", URL: "http://x", Binding: "X"},
		{Name: "x", URL: "http://x", UseCases: []string{"not one"}},
		{Name: "x", URL: "http://x", Retention: -1},
		{Name: "x", URL: "http://x", Card: directory.CardKeys{Keys: "http://x"}},
		with(directory.Credentials{Secret: "a\nb"}),
		with(directory.Credentials{Type: "x", Secret: "s"}),
		with(directory.Credentials{Type: typeBasic, Secret: "s"}),
		with(directory.Credentials{Type: typeAPIKey, Secret: "s"}),
		with(directory.Credentials{Type: typeAPIKey, Name: "a b", Secret: "s"}),
		with(directory.Credentials{Type: "bearer"}),
		with(directory.Credentials{Type: "bearer", Secret: "s", TokenURL: "https://x"}),
		with(directory.Credentials{Type: "client_credentials", Secret: "s", ClientID: "i", TokenURL: "http://x.example"}),
		with(directory.Credentials{Type: "client_credentials", Secret: "s", TokenURL: "https://x.example"}),
		with(directory.Credentials{Type: TypeUser, ClientID: "i", Secret: "s"}),
	} {
		err := CheckAdded(a)
		if err == nil {
			t.Errorf("%+v was accepted", a)
			continue
		}
		said := i18n.Of(err).In(func(key string) string {
			translated, ok := templates.Spanish(key)
			if !ok {
				t.Errorf("no Spanish for %q", key)
			}
			return translated
		})
		if strings.Contains(said, " is ") || strings.Contains(said, "set ") {
			t.Errorf("%q: got %q", err, said)
		}
	}
}
