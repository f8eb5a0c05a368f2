// Package sanitize makes text from agents safe to show to people, models and terminals. It removes
// control characters, bidirectional overrides and invisible characters, and truncates. It does not
// know where the text comes from or where it is shown.
package sanitize

import (
	"bytes"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/rangetable"
)

// Limits of text that is shown, in characters.
const (
	MaxName = 200  // of a name
	MaxLink = 2000 // of an address
)

// Text returns s as valid UTF-8 without characters that hide or reorder what a
// reader sees, or that control a terminal.
func Text(s string) string {
	var t reader
	return strings.Map(func(r rune) rune {
		switch {
		case t.drops(r):
			return -1
		case endsLine(r):
			return '\n'
		}
		return r
	}, s)
}

// reader knows which characters of a text are removed. It is given them in order.
type reader struct {
	before rune // what it kept last
}

func (t *reader) drops(r rune) bool {
	if isJoiner(r) && !joinable(t.before) {
		return true
	}
	if Hidden(r) {
		return true
	}
	t.before = r
	return false
}

// Hidden reports whether a character is removed wherever it stands: control characters, characters
// that change the direction of text, and those that look like nothing.
func Hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x7f:
		return r < ' '
	case isJoiner(r), r == 0xfe0e, r == 0xfe0f: // the last two choose between text and emoji
		return false
	case r == 0x2800: // a Braille pattern without dots
		return true
	}
	return r == utf8.RuneError || unicode.Is(hidden, r) && !unicode.Is(visible, r)
}

var (
	hidden = rangetable.Merge(
		unicode.Cc,
		unicode.Cf,
		unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point,
	)
	// visible are the format characters with a shape, such as the Arabic sign of numbers.
	visible = unicode.Prepended_Concatenation_Mark
)

// endsLine reports whether a character separates lines or paragraphs, which only some readers obey.
func endsLine(r rune) bool { return r == 0x2028 || r == 0x2029 }

// isJoiner reports whether a character only tells whether its neighbors are joined.
func isJoiner(r rune) bool { return r == 0x200c || r == 0x200d }

// joinable reports whether a joiner can follow: after letters and marks of scripts whose shapes
// depend on it, and after parts of an emoji.
func joinable(r rune) bool {
	return r == 0xfe0f || unicode.Is(joined, r)
}

// joined are the scripts for which Unicode describes joiners (chapters 9, 12 to 14 and 16), their
// marks, and symbols.
var joined = rangetable.Merge(
	unicode.So, unicode.Sk, unicode.Mn, unicode.Mc,
	unicode.Adlam, unicode.Arabic, unicode.Mandaic, unicode.Mongolian, unicode.Nko, unicode.Syriac,
	unicode.Bengali, unicode.Devanagari, unicode.Gujarati, unicode.Gurmukhi, unicode.Kannada,
	unicode.Malayalam, unicode.Oriya, unicode.Sinhala, unicode.Tamil, unicode.Telugu,
	unicode.Balinese, unicode.Javanese, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
)

// JSON cleans the strings of a JSON value, escaped or not, and changes nothing else.
func JSON(b []byte) []byte {
	if !bytes.Contains(b, []byte(`\u`)) && Text(string(b)) == string(b) {
		return b
	}
	out := make([]byte, 0, len(b))
	var t reader
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == '\\' && i+1 < len(b) {
			n = 2
			if b[i+1] == 'u' {
				r, n = unescaped(b[i:])
			}
		}
		switch {
		case t.drops(r):
		case endsLine(r):
			out = append(out, `\n`...)
		default:
			out = append(out, b[i:i+n]...)
		}
		i += n
	}

	return out
}

// unescaped returns the character of the escapes that b begins with, a pair of
// surrogates perhaps, and how many bytes they are.
func unescaped(b []byte) (rune, int) {
	first := unit(b)
	if !utf16.IsSurrogate(first) {
		return first, min(6, len(b))
	}
	if pair := utf16.DecodeRune(first, unit(b[min(6, len(b)):])); pair != utf8.RuneError {
		return pair, 12
	}
	return utf8.RuneError, min(6, len(b))
}

// unit returns the UTF-16 unit of the escape that b begins with.
func unit(b []byte) rune {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return utf8.RuneError
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}

// Short returns text from an agent, clean and at most n characters long. It reads no more of a
// long text than that takes.
func Short(s string, n int) string {
	if len(s) > n {
		shown := 0
		var t reader
		for i, r := range s {
			if t.drops(r) {
				continue
			}
			shown++
			if shown > n+1 {
				s = s[:i]
				break
			}
		}
	}
	return Truncate(Text(s), n)
}

var oneLine = strings.NewReplacer("\n", " ", "\t", " ")

// Line returns text from an agent, clean and on one line.
func Line(s string) string { return oneLine.Replace(Text(s)) }

// Label returns a name from an agent, clean, on one line and not too long.
func Label(s string) string {
	return oneLine.Replace(Short(s, MaxName))
}

// Link returns an address from an agent, cleaned. It is "" for an address that would
// run a script or open a page of ours.
func Link(address string) string {
	link := Text(address)
	u, err := url.Parse(link)
	if err != nil || u.Scheme == "" ||
		slices.Contains([]string{"javascript", "vbscript", "data"}, u.Scheme) {
		return ""
	}
	return link
}

// WebPage returns an address from an agent if a browser can open it, and "" otherwise.
func WebPage(address string) string {
	u, err := url.Parse(Link(address))
	if err != nil || u.Host == "" {
		return ""
	}
	if u.Scheme == "https" || u.Scheme == "http" {
		return Link(address)
	}
	return ""
}

// Labels cleans a list of short texts and keeps the first ten.
func Labels(in []string) []string {
	out := make([]string, min(len(in), 10))
	for i := range out {
		out[i] = Label(in[i])
	}
	return out
}

// Truncate shortens s to at most n characters and says so with an ellipsis.
func Truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}

	last := 0
	seen := 0 // where the last character begins that is left if there are more, and how many there are
	for i := range s {
		if seen == n-1 {
			last = i
		}
		seen++
		if seen > n {
			return s[:last] + "…"
		}
	}

	return s
}
