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
	written := wordPattern.FindAllString(folder.Replace(question[:min(len(question), maxQuestion)]), -1)
	said := wordPattern.FindAllString(folder.Replace(strings.ToLower(question[:min(len(question), maxQuestion)])), -1)
	if len(written) != len(said) { // letters that are several in lower case
		written = said
	}
	var out []token
	for i := 0; i < len(said); {
		t, n := token{said: said[i], text: strings.TrimSuffix(said[i], "'s")}, 1
		for size := min(maxPhrase, len(said)-i); size > 0; size-- {
			text := strings.TrimSuffix(strings.Join(said[i:i+size], " "), "'s")
			if means, op := names[text], phrases()[text]; len(means) > 0 || op != "" {
				t, n = token{strings.Join(said[i:i+size], " "), text, op, means}, size
				t.decide(strings.Join(written[i:i+size], " "), question)
				if i == 0 && phrases()["first "+text] != "" {
					t.op = unread // a question for yes or no
				}
				break
			}
		}
		if i += n; t.op != filler || len(t.names) > 0 {
			out = append(out, t)
		}
	}
	dropNow, dropAll := states(out), !relates(out)
	return slices.DeleteFunc(out, func(t token) bool { return t.op == now && dropNow || t.op == all && dropAll })
}

// states reports whether a question names a state: what is now active, or open.
func states(toks []token) bool {
	return slices.ContainsFunc(toks, func(t token) bool {
		return slices.ContainsFunc(t.names, func(n name) bool {
			return n.value != "" && slices.Contains([]string{"status", "state", "estado"}, strings.ToLower(n.c.Name))
		})
	})
}

// relates reports whether a question says all after it has named a table: of the customers
// with all policies cancelled, one is not enough.
func relates(toks []token) bool {
	table := slices.IndexFunc(toks, func(t token) bool { return slices.ContainsFunc(t.names, func(n name) bool { return n.c == nil }) })
	return table >= 0 && slices.ContainsFunc(toks[table:], func(t token) bool { return t.op == all })
}

// decide removes one meaning of a phrase that is also a value, such as the country codes IN
// and US: it is the value if it is written in capitals. "us" may be either.
func (t *token) decide(written, question string) {
	value := slices.ContainsFunc(t.names, func(n name) bool { return n.value != "" })
	capitals := written == strings.ToUpper(written)
	switch {
	case t.op == "" || !value:
	case capitals && question != strings.ToUpper(question) && len(written) > 1:
		t.op = ""
	case capitals && len(written) > 1 || t.op == filler:
		t.op, t.names = unread, nil
	default:
		t.names = slices.DeleteFunc(slices.Clone(t.names), func(n name) bool { return n.value != "" })
	}
}

// op is what a phrase does in a question.
type op string

const (
	filler   op = "filler"   // says nothing
	all      op = "all"      // says nothing of the first table
	now      op = "now"      // says nothing of a state
	unread   op = "unread"   // has no place in any question
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
	found := map[string]op{}
	for line := range strings.Lines(phraseFile) {
		what, list, ok := strings.Cut(strings.TrimSpace(line), ": ")
		for phrase := range strings.SplitSeq(list, " | ") {
			switch {
			case !ok || strings.HasPrefix(line, "#"):
			case what == "unread first":
				found["first "+phrase] = unread
			default:
				found[phrase] = op(what)
			}
		}
	}
	return found
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
