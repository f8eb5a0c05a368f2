package doctor

import (
	"strings"
	"testing"

	"rialto/templates"
)

// The page of the console says the steps in the reader's language.
func TestChecksAreTranslated(t *testing.T) {
	for _, s := range checks() {
		for _, words := range []string{s.title, s.expect, s.fix} {
			if _, ok := templates.Spanish(words); !ok || strings.Contains(words, "{}") {
				t.Errorf("%s: no Spanish for %q", s.id, words)
			}
		}
	}
}
