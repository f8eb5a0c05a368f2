package sanitize

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestWhatNobodySeesIsTakenOut(t *testing.T) {
	for in, want := range map[string]string{
		"a\x1b[31mb\u202ec\U000e0041d":                                      "a[31mbcd",
		"zero\u200bwidth\ufeff\u2060":                                       "zerowidth",
		"bytes\U000e0101\ufe01 in an emoji":                                 "bytes in an emoji",
		"\u2764\ufe0f and tabs stay\n\t":                                    "\u2764\ufe0f and tabs stay\n\t",
		"not \xff UTF-8":                                                    "not  UTF-8",
		"marks\u200e\u200f\u061c\u00ad":                                     "marks",
		"two\u2028lines\u2029":                                              "two\nlines\n",
		"fill\u3164\u115f\u1160\uffa0\u2800":                                "fill",
		"\u034f\u180b\u180e\u17b4\U0001d173":                                "",
		"jo\u200di\u200cn\u200d\u200ced":                                    "joined",
		"\u200dfirst, 1\u200d2 я\u200cж":                                    "first, 12 яж",
		"می\u200cخواهم, क्\u200dष, twice می\u200c\u200cخ":                   "می\u200cخواهم, क्\u200dष, twice می\u200cخ",
		"\U0001f469\U0001f3fd\u200d\U0001f4bb \u2764\ufe0f\u200d\U0001f525": "\U0001f469\U0001f3fd\u200d\U0001f4bb \u2764\ufe0f\u200d\U0001f525",
		"\u0600 has a shape":                                                "\u0600 has a shape",
	} {
		if got := Text(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestAnAddressThatRunsIsNoLink(t *testing.T) {
	for in, want := range map[string]string{
		"https://example.com/a?b=c#d":          "https://example.com/a?b=c#d",
		"s3://bucket/key":                      "s3://bucket/key",
		"urn:isbn:1":                           "urn:isbn:1",
		"javascript:alert(1)":                  "",
		"JavaScript://example.com/%0aalert(1)": "",
		"java\u200bscript:alert(1)":            "",
		"java\nscript:alert(1)":                "",
		" javascript:alert(1)":                 "",
		"data:text/html,<script>":              "",
		"vbscript:x":                           "",
		"/account":                             "",
		"//example.com":                        "",
	} {
		if got := Link(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestTheStringsOfDataAreCleanHoweverTheyAreWritten(t *testing.T) {
	for in, want := range map[string]string{
		`{"b":1,"a":"x\u202ey"}`:                        `{"b":1,"a":"xy"}`,
		`{"k\u200b":"\u001b[0m","n":1.50}`:              `{"k":"[0m","n":1.50}`,
		`["\udb40\udc41 tag","\ud83d\ude00"]`:           `[" tag","\ud83d\ude00"]`,
		`["\ud83d alone","\\u202e kept"]`:               `[" alone","\\u202e kept"]`,
		"[\"raw \u202e\"]":                              `["raw "]`,
		`["two\u2028lines","` + "\u2029" + `"]`:         `["two\nlines","\n"]`,
		`{"a":"\u000a\u0041"}`:                          `{"a":"\u000a\u0041"}`,
		`["a\u200db\u200d","\u0915\u094d\u200d\u0937"]`: `["ab","\u0915\u094d\u200d\u0937"]`,
	} {
		got := string(JSON([]byte(in)))
		if got != want || !json.Valid([]byte(got)) {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

func FuzzCleanJSON(f *testing.F) {
	f.Add(`{"a":"\u202e\\\ud83d\u001b"}`)
	f.Add(`["\u"]`)
	f.Fuzz(func(t *testing.T, in string) {
		got := JSON([]byte(in))
		if json.Valid([]byte(in)) && !json.Valid(got) {
			t.Fatalf("%q became %q, which is no JSON", in, got)
		}
		var s any
		if json.Unmarshal(got, &s) == nil {
			if text, ok := s.(string); ok && strings.ContainsFunc(text, func(r rune) bool { return Hidden(r) && r > 0x1f && r != 0xfffd }) {
				t.Fatalf("%q became %q", in, text)
			}
		}
	})
}

func TestAShellReadsOneWord(t *testing.T) {
	for s, want := range map[string]string{
		"./claims.csv": "./claims.csv", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$(x)": "'$(x)'", "a\nb": "'a\nb'", "~": "'~'",
	} {
		if got := ShellWord(s); got != want {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
	}
}
