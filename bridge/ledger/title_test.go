package ledger

import (
	"strings"
	"testing"
)

func TestTitle(t *testing.T) {
	for _, c := range []struct{ asked, want string }{
		{"", ""},
		{"Which claims are open?", "Which claims are open?"},
		{strings.Repeat("word ", 20), strings.TrimSpace(strings.Repeat("word ", 15)) + "…"},
		{strings.Repeat("w", 100), strings.Repeat("w", 79) + "…"},
		{"\u202eevil", "evil"},
	} {
		if got := Title(c.asked); got != c.want {
			t.Errorf("Title(%q): got %q, want %q", c.asked, got, c.want)
		}
	}
}
