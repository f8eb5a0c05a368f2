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

func cleanAll(in []string) []string {
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = clean(s)
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
