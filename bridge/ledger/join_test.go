package ledger

import (
	"slices"
	"testing"

	"rialto/a2a"
)

// TestManyTextsAreLookedAtOnce counts what is looked at to tell chunks of a text from
// texts that are each complete. From each text at all behind it, which an agent that
// gave 50,000 of them once brought about, is more than a billion.
func TestManyTextsAreLookedAtOnce(t *testing.T) {
	const n = 50_000
	file := a2a.Part{Content: a2a.Raw("x"), Filename: "f"}
	for name, c := range map[string]struct {
		repeated []a2a.Part
		yielded  int
	}{
		"texts that are complete": {[]a2a.Part{a2a.TextPart("x")}, n},
		"chunks of one":           {[]a2a.Part{a2a.TextPart("x ")}, 1},
		"files":                   {[]a2a.Part{file}, n},
		"texts between files":     {[]a2a.Part{a2a.TextPart("x"), a2a.TextPart("y"), file, a2a.TextPart("z "), a2a.TextPart("z"), file}, n / 6 * 5},
	} {
		parts := slices.Repeat(c.repeated, n/len(c.repeated))
		looked, yielded := 0, 0
		for range textsBy(func(parts []a2a.Part, from int) (int, bool) {
			to, one := Run(parts, from)
			looked += to - from + 1 // and the one that is no chunk
			return to, one
		}, parts) {
			yielded++
		}
		if looked > 2*len(parts) || yielded != c.yielded {
			t.Errorf("%s: looked at %d parts of %d, and got %d, want %d", name, looked, len(parts), yielded, c.yielded)
		}
	}
}
