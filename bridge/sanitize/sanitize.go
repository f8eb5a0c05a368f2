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
)

// Limits of text that is shown, in characters.
const (
	MaxName = 200  // of a name
	MaxLink = 2000 // of an address
)

// Text returns s as valid UTF-8 without characters that hide or reorder what a
// reader sees, or that control a terminal.
func Text(s string) string {
	return strings.Map(func(r rune) rune {
		if Hidden(r) {
			return -1
		}
		return r
	}, s)
}

// Hidden reports whether a character is removed: control characters, characters that change the
// direction of text, and invisible ones. Joiners stay, because scripts and emoji need them.
func Hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r), r == utf8.RuneError:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x206f: // bidi overrides and isolates
		return true
	case r >= 0xe0000 && r <= 0xe01ef: // tags, and selectors that can carry bytes
		return true
	case r >= 0xfe00 && r <= 0xfe0d,
		r == 0x200b,
		r >= 0x2060 && r <= 0x2065,
		r == 0xfeff,
		r >= 0xfff9 && r <= 0xfffb:
		return true
	}
	return false
}

// JSON cleans the strings of a JSON value, escaped or not, and changes nothing else.
func JSON(b []byte) []byte {
	if !bytes.Contains(b, []byte(`\u`)) && Text(string(b)) == string(b) {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		keep := !Hidden(r)
		if r == '\\' && i+1 < len(b) {
			n = 2
			keep = true
			if b[i+1] == 'u' {
				r, n = unescaped(b[i:])
				keep = !Hidden(r)
			}
		}
		if keep {
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
		for i, r := range s {
			if Hidden(r) {
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

// Label returns a name from an agent, clean, on one line and not too long.
func Label(s string) string {
	return Short(oneLine.Replace(s), MaxName)
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
