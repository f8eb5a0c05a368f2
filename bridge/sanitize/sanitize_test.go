package sanitize

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestWhatNobodySeesIsTakenOut(t *testing.T) {
	for in, want := range map[string]string{
		"a\x1b[31mb\u202ec\U000e0041d":      "a[31mbcd",
		"zero\u200bwidth\ufeff\u2060":       "zerowidth",
		"bytes\U000e0101\ufe01 in an emoji": "bytes in an emoji",
		"\u2764\ufe0f and \u200d stay\n\t":  "\u2764\ufe0f and \u200d stay\n\t",
		"not \xff UTF-8":                    "not  UTF-8",
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
		`{"b":1,"a":"x\u202ey"}`:              `{"b":1,"a":"xy"}`,
		`{"k\u200b":"\u001b[0m","n":1.50}`:    `{"k":"[0m","n":1.50}`,
		`["\udb40\udc41 tag","\ud83d\ude00"]`: `[" tag","\ud83d\ude00"]`,
		`["\ud83d alone","\\u202e kept"]`:     `[" alone","\\u202e kept"]`,
		"[\"raw \u202e\"]":                    `["raw "]`,
		`{"a":"\u000a\u0041"}`:                `{"a":"\u000a\u0041"}`,
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
