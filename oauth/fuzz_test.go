package oauth

import (
	"slices"
	"strings"
	"testing"
)

// FuzzScope checks that a scope parameter survives being written and read.
func FuzzScope(f *testing.F) {
	for _, seed := range []string{"", "a b", " a  a\tb ", "a\u00a0b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		set := ParseScope(s)
		again := ParseScope(set.String())
		if slices.ContainsFunc(set, func(word string) bool { return !again.Has(word) }) || len(again) != len(set) {
			t.Errorf("%q: got %q, then %q", s, set, again)
		}
		for _, word := range set {
			if word == "" || strings.Contains(word, " ") {
				t.Errorf("%q has the scope %q", s, word)
			}
		}
	})
}
