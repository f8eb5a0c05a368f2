package bridge

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes text from an agent fit to show: valid UTF-8 without control,
// bidirectional-override and invisible formatting characters, which could hide
// or reorder what a model or a person reads.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), r == utf8.RuneError:
			return -1
		case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // bidi overrides and isolates
			return -1
		case r >= 0xe0000 && r <= 0xe007f: // tags: invisible text
			return -1
		}
		return r
	}, s)
}

// shown returns text from an agent, clean and at most n characters long.
func shown(s string, n int) string { return clip(clean(s), n) }

// shownAll does so for a list of short texts, of which it keeps ten.
func shownAll(in []string) []string {
	out := make([]string, min(len(in), 10))
	for i := range out {
		out[i] = shown(in[i], maxName)
	}
	return out
}

// clip shortens s to at most n characters and says so with an ellipsis.
func clip(s string, n int) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
