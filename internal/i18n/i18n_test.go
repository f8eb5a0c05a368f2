package i18n_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"rialto/internal/i18n"
)

func TestASentenceKeepsItsValues(t *testing.T) {
	cause := errors.New("disk full")
	inner := i18n.Errorf("type: %q is not one of %s", "{}", "a, b")
	err := i18n.Errorf("credentials: %w", inner)
	if got, want := err.Error(), `credentials: type: "{}" is not one of a, b`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !errors.Is(err, inner) || !errors.Is(i18n.Errorf("saving: %w", cause), cause) {
		t.Error("the cause is lost")
	}
	spanish := map[string]string{"credentials: {}": "credenciales: {}", "type: {} is not one of {}": "tipo: {} no es ninguno de {}"}
	translate := func(key string) string {
		if s, ok := spanish[key]; ok {
			return s
		}
		return key
	}
	if got, want := i18n.Of(err).In(translate), `credenciales: tipo: "{}" no es ninguno de a, b`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := i18n.Of(fmt.Errorf("agents[0].%w", err)).In(translate), `agents[0].credenciales: tipo: "{}" no es ninguno de a, b`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	stored := i18n.Of(err).Stored()
	if got := stored.Message().In(translate); !strings.HasPrefix(got, "credenciales: type") {
		t.Errorf("got %q", got)
	}
	if got := i18n.Of(errors.New("a {} b")).Error(); got != "a { } b" {
		t.Errorf("got %q", got)
	}
}

// TestASentenceBeginsWithACapital has a first letter of two bytes, which was cut in two.
func TestASentenceBeginsWithACapital(t *testing.T) {
	for text, want := range map[string]string{
		"":              "",
		"no such table": "No such table.",
		"which one?":    "Which one?",
		"índice.":       "Índice.",
	} {
		if got := i18n.Sentence(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
