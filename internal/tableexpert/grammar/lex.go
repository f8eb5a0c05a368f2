package grammar

import (
	_ "embed" // for phrases.txt
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// token is a word, or several that mean one thing.
type token struct {
	said  string // as written
	text  string // folded
	op    op
	names []name
}

var (
	wordPattern = regexp.MustCompile(`[\pL\d](?:[\pL\d_.,\-/'@&]*[\pL\d%])?|[<>]=?|[^\s\pL\d?!.;:¿¡"'()]`)
	folder      = strings.NewReplacer("á", "a", "é", "e", "í", "i", "ó", "o", "ú", "u", "ü", "u", "ñ", "n", "ö", "o", "ä", "a", "ß", "ss", "’", "'")
)

// fold returns the words of a text as they are compared: in lower case and without accents.
func fold(s string) string {
	return strings.Join(wordPattern.FindAllString(folder.Replace(strings.ToLower(strings.ReplaceAll(s, "’", "'"))), -1), " ")
}

const (
	maxQuestion = 1000 // bytes
	maxPhrase   = 7    // words
)

// lex divides a question into the longest phrases that mean something. Words without
// content are left out.
func (s *Schema) lex(question string) []token {
	names := s.names()
	said := wordPattern.FindAllString(folder.Replace(strings.ToLower(question[:min(len(question), maxQuestion)])), -1)
	var out []token
	for i := 0; i < len(said); {
		t, n := token{said: said[i], text: strings.TrimSuffix(said[i], "'s")}, 1
		for size := min(maxPhrase, len(said)-i); size > 0; size-- {
			text := strings.TrimSuffix(strings.Join(said[i:i+size], " "), "'s")
			if means, op := names[text], phrases()[text]; len(means) > 0 || op != "" {
				t, n = token{strings.Join(said[i:i+size], " "), text, op, means}, size
				break
			}
		}
		if i += n; t.op != filler || len(t.names) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// op is what a phrase does in a question.
type op string

const (
	filler   op = "filler"   // says nothing
	link     op = "link"     // of, in, with
	count    op = "count"    // how many
	howMuch  op = "how much" // the sum
	sum      op = "sum"
	avg      op = "avg"
	largest  op = "max"
	smallest op = "min"
	latest   op = "latest"
	earliest op = "earliest"
	top      op = "top"
	most     op = "most"
	percent  op = "percent"
	list     op = "list"
	by       op = "by"
	over     op = ">"
	atLeast  op = ">="
	under    op = "<"
	atMost   op = "<="
	exactly  op = "="
	orMore   op = "or more"
	orLess   op = "or less"
	between  op = "between"
	from     op = "from"
	to       op = "to"
	on       op = "on" // "from 2015 on"
	since    op = "since"
	before   op = "before"
	after    op = "after"
	not      op = "not"
	without  op = "without"
	and      op = "and"
	or       op = "or"
	comma    op = ","
)

//go:embed phrases.txt
var phraseFile string

// phrases returns what each phrase does.
var phrases = sync.OnceValue(func() map[string]op {
	all := map[string]op{}
	for line := range strings.Lines(phraseFile) {
		what, list, ok := strings.Cut(strings.TrimSpace(line), ": ")
		for phrase := range strings.SplitSeq(list, " | ") {
			if ok && !strings.HasPrefix(line, "#") {
				all[phrase] = op(what)
			}
		}
	}
	return all
})

var numberWords = strings.Fields("zero one two three four five six seven eight nine ten eleven twelve")
var spanishNumbers = strings.Fields("cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce")

// number reads 3, three, 10,000, 1.5 and 50k. A dot before three
// digits is ambiguous: that is no number.
func number(s string) (float64, bool) {
	for _, words := range [][]string{numberWords, spanishNumbers} {
		if i := slices.Index(words, s); i >= 0 {
			return float64(i), true
		}
	}
	scale := 1.0
	for suffix, factor := range map[string]float64{"k": 1e3, "m": 1e6} {
		if rest, ok := strings.CutSuffix(s, suffix); ok {
			s, scale = rest, factor
		}
	}
	if !plainNumber.MatchString(s) {
		return 0, false
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
	return n * scale, err == nil
}

var plainNumber = regexp.MustCompile(`^\d{1,12}$|^\d{1,3}(,\d{3})+(\.\d+)?$|^\d{1,9}\.(\d{1,2}|\d{4,6})$`)

// dotted is a number such as 40.000, whose dot divides groups where people say euros in
// Spanish.
var dotted = regexp.MustCompile(`^\d{1,3}(\.\d{3})+$`)
