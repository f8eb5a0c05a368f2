package client

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const maxNameLength = 64 // runes

// CleanName makes a name that a client chose fit to be shown: one line of
// visible characters, none that turns the direction of the text around.
func CleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r): // control, format (bidi, zero width), private, unassigned
			return -1
		}
		return r
	}, norm.NFKC.String(name))
	name = strings.Join(strings.Fields(name), " ")
	if runes := []rune(name); len(runes) > maxNameLength {
		name = strings.TrimSpace(string(runes[:maxNameLength])) + "…"
	}
	return name
}
