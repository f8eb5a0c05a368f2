package client

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const maxNameLength = 64 // runes

// lunate replaces the Greek letters that look like C: NFKC makes other letters of them.
var lunate = strings.NewReplacer("\u03f9", "C", "\u03f2", "c")

// CleanName makes a name that a client chose fit to be shown: one line of
// visible characters, none that turns the direction of the text around.
func CleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
			return -1 // control, format (bidi, zero width), private, unassigned; letters without a shape
		}
		return r
	}, norm.NFKC.String(lunate.Replace(name)))
	name = strings.Join(strings.Fields(name), " ")
	if runes := []rune(name); len(runes) > maxNameLength {
		name = strings.TrimSpace(string(runes[:maxNameLength])) + "…"
	}

	return name
}
