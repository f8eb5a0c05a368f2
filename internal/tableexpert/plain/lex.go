package plain

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// token is a word or number of a question.
type token struct {
	word string // lower case
	num  float64
	kind tokenKind
	cash bool // a sign of money stood beside the number
}

type tokenKind int

const (
	isWord tokenKind = iota
	isNumber
	isDay  // 2026-11-21
	isSign // < > <= >= =
)

// lex splits a question. What stands between quotation marks is words, too:
// values are matched whatever they stand in.
func lex(question string) []token {
	var out []token
	spanish := isSpanish(question)
	minus, prior := false, ' '
	for i, rest := 0, []rune(question); len(rest) > 0 && i < 4*maxWords && len(out) < maxWords; i++ {
		n, negative := 1, minus
		minus = false
		switch r := rest[0]; {
		case strings.ContainsRune("<>=≥≤", r):
			n = span(rest, func(r rune) bool { return strings.ContainsRune("<>=≥≤", r) })
			out = append(out, token{kind: isSign, word: string(rest[:n])})
		case strings.ContainsRune("€$£", r):
			if minus = negative; len(out) > 0 && out[len(out)-1].kind == isNumber {
				out[len(out)-1].cash = true
			} else {
				out = append(out, token{word: string(r)})
			}
		case unicode.IsDigit(r):
			var t token
			t, n = digitsAt(rest, spanish)
			if negative && t.kind == isNumber {
				t.num, t.word = -t.num, "-"+t.word
			}
			out = append(out, t)
		case unicode.IsLetter(r) || r == '_':
			n = span(rest, func(r rune) bool {
				return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-'’", r)
			})
			out = append(out, wordsOf(string(rest[:n]))...)
		case strings.ContainsRune("-−", r): // below -5, but not 2-5
			minus = len(rest) > 1 && strings.ContainsRune("0123456789€$£", rest[1]) && strings.ContainsRune(" \n\t(<>=", prior)
		}
		prior, rest = rest[n-1], rest[n:]
	}
	return out
}

// digitsAt reads what begins with a digit, and says how long it is.
func digitsAt(rest []rune, spanish bool) (token, int) {
	n := span(rest, func(r rune) bool {
		return unicode.IsDigit(r) || unicode.IsLetter(r) || strings.ContainsRune(".,-_:/", r)
	})
	if s := string(rest[:n]); strings.Contains(s, "/") && strings.Count(s, "/") != 2 { // 5/6/2025 is one
		n = len([]rune(s[:strings.Index(s, "/")]))
	}
	digits := strings.TrimRight(string(rest[:n]), ".,-:")
	whole, last, _ := strings.Cut(digits, ".")
	if len(whole) <= 3 && (last == "000" || spanish && len(last) == 3 && strings.Trim(last, "0123456789") == "") { // 40.000 is no forty
		digits = whole + last
	}
	return number(digits), n
}

// isSpanish tells by the words between the others.
func isSpanish(question string) bool {
	return slices.ContainsFunc(strings.Fields(strings.ToLower(question)), func(w string) bool {
		return slices.Contains([]string{"de", "más", "mas", "menos", "los", "las", "el", "con", "entre", "por", "que", "del"}, w)
	})
}

func span(rs []rune, in func(rune) bool) int {
	for i, r := range rs {
		if !in(r) {
			return i
		}
	}
	return len(rs)
}

func wordsOf(s string) []token {
	s = strings.ToLower(strings.ReplaceAll(s, "’", "'"))
	s = strings.TrimSuffix(strings.Trim(s, "-'"), "'s")
	if s == "" {
		return nil
	}
	if strings.HasPrefix(s, "e-mail") {
		s = "e" + s[2:]
	}
	if n, ok := numerals[s]; ok {
		return []token{{word: s, kind: isNumber, num: n}}
	}
	return []token{{word: s}}
}

// numerals are numbers as people write them before what they count.
var numerals = map[string]float64{"zero": 0, "cero": 0, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"twelve": 12, "twenty": 20, "fifty": 50, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9, "diez": 10}

// number reads 10,000 and 10k and 1.5m and 2026-11-21.
func number(s string) token {
	low := strings.ToLower(s)
	if isISODay(low) {
		return token{kind: isDay, word: low}
	}
	digits, times := low, 1.0
	switch {
	case strings.HasSuffix(low, "k"):
		digits, times = strings.TrimSuffix(low, "k"), 1e3
	case strings.HasSuffix(low, "m"):
		digits, times = strings.TrimSuffix(low, "m"), 1e6
	}
	if f, err := strconv.ParseFloat(ungrouped(digits), 64); err == nil {
		return token{kind: isNumber, num: f * times, word: low}
	}
	return token{word: low}
}

// ungrouped takes the marks out that group digits by three: 1,234,567 or
// 1.234.567. One mark before three digits groups if it is a comma.
func ungrouped(s string) string {
	if comma, dot := strings.LastIndexByte(s, ','), strings.LastIndexByte(s, '.'); comma >= 0 && dot >= 0 {
		if comma > dot { // 1.000,50
			s = strings.ReplaceAll(s, ".", "")
			return strings.Replace(s, ",", ".", 1)
		}
		return strings.ReplaceAll(s, ",", "")
	}
	for _, mark := range []string{",", "."} {
		groups := strings.Split(s, mark)
		if len(groups) < 2 || mark == "." && len(groups) == 2 {
			continue
		}
		grouped := len(groups[0]) <= 3
		for _, g := range groups[1:] {
			grouped = grouped && len(g) == 3
		}
		if grouped {
			return strings.Join(groups, "")
		}
	}
	return strings.Replace(s, ",", ".", 1)
}

func isISODay(s string) bool {
	_, ok := parseDay(s)
	return ok
}

// parts splits the name of a column or table into words.
func parts(name string) []string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		if unicode.IsUpper(r) && lower {
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	words := strings.FieldsFunc(b.String(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if i := slices.Index(words, "e"); i >= 0 && i+1 < len(words) && strings.HasPrefix(words[i+1], "mail") { // E-Mail
		words = slices.Concat(words[:i], []string{"e" + words[i+1]}, words[i+2:])
	}
	return words
}

// singular returns the form under which words are compared.
func singular(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 4 && (strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "xes") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes")):
		return w[:len(w)-2]
	case len(w) > 6 && strings.HasSuffix(w, "uses") && !strings.ContainsAny(w[len(w)-5:len(w)-4], "aeo"): // statuses, not causes
		return w[:len(w)-2]
	case len(w) > 5 && (strings.HasSuffix(w, "adas") || strings.HasSuffix(w, "idas")): // pagadas, pagado
		return w[:len(w)-2] + "o"
	case len(w) > 5 && (strings.HasSuffix(w, "ada") || strings.HasSuffix(w, "ida")):
		return w[:len(w)-1] + "o"
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us"):
		return w[:len(w)-1]
	}
	return w
}

// oneSaid tells "sales rep" from "sales reps".
func oneSaid(words string) bool {
	last := words[strings.LastIndexByte(words, ' ')+1:]
	return last == singular(last)
}
