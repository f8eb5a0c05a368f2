package bridge

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

// Clean makes text from an agent fit to show: valid UTF-8 without what could hide
// or reorder what a model or a person reads, or steer a terminal.
func Clean(s string) string { return clean(s) }

func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if hidden(r) {
			return -1
		}
		return r
	}, s)
}

// hidden tells which characters are not shown: control characters, those that
// turn the direction of text, and those that nobody sees. The joiners stay, for
// scripts and emoji are written with them.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r), r == utf8.RuneError:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x206f: // bidi overrides and isolates
		return true
	case r >= 0xe0000 && r <= 0xe01ef: // tags, and selectors that can carry bytes
		return true
	case r >= 0xfe00 && r <= 0xfe0d, r == 0x200b, r >= 0x2060 && r <= 0x2065, r == 0xfeff, r >= 0xfff9 && r <= 0xfffb:
		return true
	}
	return false
}

// cleanJSON does so with the strings of a JSON value, however they are written,
// and leaves all else as it is.
func cleanJSON(b []byte) []byte {
	if !bytes.Contains(b, []byte(`\u`)) && clean(string(b)) == string(b) {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		keep := !hidden(r)
		if r == '\\' && i+1 < len(b) {
			n, keep = 2, true
			if b[i+1] == 'u' {
				r, n = unescaped(b[i:])
				keep = !hidden(r)
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

// shown returns text from an agent, clean and at most n characters long.
func shown(s string, n int) string { return clip(clean(s), n) }

// Shown is shown for other packages that show what agents say.
func Shown(s string, n int) string { return shown(s, n) }

// label returns a name from an agent, clean, on one line and not too long.
func label(s string) string {
	return shown(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, s), maxName)
}

// linked returns an address from an agent, clean, if it leads somewhere: "" for what
// would run as a program, or be a page of ours, where a person follows it.
func linked(address string) string {
	link := clean(address)
	u, err := url.Parse(link)
	if err != nil || u.Scheme == "" || slices.Contains([]string{"javascript", "vbscript", "data"}, u.Scheme) {
		return ""
	}
	return link
}

// webPage returns an address from an agent that a browser can open, "" for others.
func webPage(address string) string {
	u, err := url.Parse(linked(address))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return ""
	}
	return linked(address)
}

// CleanJSON makes the strings in JSON fit to show, as Clean does with text.
func CleanJSON(b []byte) []byte { return cleanJSON(b) }

// shownAll does so for a list of short texts, of which it keeps ten.
func shownAll(in []string) []string {
	out := make([]string, min(len(in), 10))
	for i := range out {
		out[i] = label(in[i])
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
