package grammar

import (
	_ "embed" // for phrases.yaml
	"regexp"
	"slices"
	"strconv"
	"strings"

	"rialto/internal/embedded"
)

// op is what a word does in a question, other than naming something.
type op string

const (
	filler op = "filler" // says nothing
	unread op = "unread" // has no place in any question
	link   op = "link"   // of, in, with
	list   op = "list"   // show me
	count  op = "count"  // how many
	sum    op = "sum"    // total
	avg    op = "avg"    // average
	by     op = "by"     // by cause
)

// The other ops are the operators of comparisons: > and <=.

//go:embed phrases.yaml
var phraseFile []byte

var phrases = embedded.YAML[map[op][]string](phraseFile)

// opOf returns what a folded word or phrase does; "" if it is none of the phrases.
func opOf(phrase string) op {
	for o, list := range phrases() {
		if slices.Contains(list, phrase) {
			return o
		}
	}
	return ""
}

// token is a word, or several that mean one thing.
type token struct {
	said  string // as written
	text  string // folded
	op    op
	names []name
}

// columns returns the columns that a token names and that are good.
func (t token) columns(good func(field) bool) []name {
	return slices.DeleteFunc(slices.Clone(t.names), func(n name) bool {
		return n.c == nil || n.value != "" || !good(n.field)
	})
}

// values returns the values that a token may be.
func (t token) values() []name {
	return slices.DeleteFunc(slices.Clone(t.names), func(n name) bool { return n.value == "" })
}

// table returns the table that a token names; nil if it names several, or amounts as well: premiums
// may be the table, or what policies cost.
func (t token) table() *Table {
	var found []*Table
	for _, n := range t.names {
		if n.c == nil {
			found = append(found, n.t)
		}
	}

	if len(found) != 1 || len(t.columns(field.isMeasure)) > 0 {
		return nil
	}

	return found[0]
}

var (
	wordPattern = regexp.MustCompile(
		`[\pL\d](?:[\pL\d_.,\-/'@&]*[\pL\d%])?|[<>]=?|[^\s\pL\d?!.;:¿¡"'()]`,
	)
	unaccented = strings.NewReplacer(strings.Fields("á a é e í i ó o ú u ü u ñ n ö o ä a ß ss")...)
)

func split(s string) []string {
	return wordPattern.FindAllString(strings.ReplaceAll(s, "’", "'"), -1)
}

// fold returns the words of a text as they are compared: in lower case and without accents.
func fold(s string) string {
	return unaccented.Replace(strings.ToLower(strings.Join(split(s), " ")))
}

// named returns what a text means in some tables.
func (s *Schema) named(text string, tables []string) []name {
	return slices.DeleteFunc(slices.Clone(s.index[text]), func(n name) bool {
		return !slices.Contains(tables, n.t.Name)
	})
}

// maxPhrase is how many words a phrase or a value has at most.
const maxPhrase = 7

// lex divides a question about some tables into the longest phrases that mean something, and leaves
// out fillers.
func (s *Schema) lex(question string, tables []string) []token {
	words := split(question)
	var out []token
	for at := 0; at < len(words); {
		t, length := s.longest(words[at:], tables)
		if t.op != filler || len(t.names) > 0 {
			out = append(out, t)
		}
		at += length
	}

	return out
}

// longest returns the longest phrase at the beginning of words, and how many words it has. What is
// also a value, such as the country code IN, is never the value; in capitals, or where the word
// would say nothing, it might be.
func (s *Schema) longest(words, tables []string) (token, int) {
	for n := min(maxPhrase, len(words)); n > 0; n-- {
		said := strings.Join(words[:n], " ")
		text := strings.TrimSuffix(fold(said), "'s")
		t := token{
			said:  said,
			text:  text,
			op:    opOf(text),
			names: s.named(text, tables),
		}
		if t.op != "" && len(t.values()) > 0 {
			t.names = nil
			if t.op == filler || said == strings.ToUpper(said) {
				t.op = unread
			}
		}
		if t.op != "" || len(t.names) > 0 {
			return t, n
		}
	}
	return token{said: words[0], text: fold(words[0])}, 1
}

var plainNumber = regexp.MustCompile(`^\d{1,12}$|^\d{1,3}(,\d{3}){1,3}$`)

// number reads 3 and 10,000.
func number(s string) (int, bool) {
	if !plainNumber.MatchString(s) {
		return 0, false
	}
	n, err := strconv.Atoi(strings.ReplaceAll(s, ",", ""))
	return n, err == nil
}
