package similar

import "testing"

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"año", "ano", 1},
	} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: got %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"claims", "claimed_cents", "customers"}
	for _, c := range []struct {
		word, want string
		apart      int
	}{
		{"clams", "claims", 1}, {"CLAIMS", "claims", 0}, {"claimed", "claimed_cents", 1}, {"custom", "customers", 1},
	} {
		if got, apart := Nearest(c.word, known); got != c.want || apart != c.apart {
			t.Errorf("%s: got %s, %d apart, want %s, %d apart", c.word, got, apart, c.want, c.apart)
		}
	}
	if got, _ := Nearest("claims", nil); got != "" {
		t.Errorf("got %q of no words", got)
	}
}
