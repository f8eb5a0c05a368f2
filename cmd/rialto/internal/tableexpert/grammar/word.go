package grammar

import (
	_ "embed" // for phrases.yaml
	"regexp"
	"slices"
	"strings"
	"sync"

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
	end    op = "end"    // of the question
)

// The other ops are the operators of comparisons: > and <=.

//go:embed phrases.yaml
var phraseFile []byte

// phrases returns what each folded word or phrase does.
var phrases = sync.OnceValue(func() map[string]op {
	found := map[string]op{}
	for o, list := range embedded.YAML[map[op][]string](phraseFile)() {
		for _, phrase := range list {
			found[phrase] = o
		}
	}
	return found
})

// token is a word, or several that mean one thing.
type token struct {
	said  string // as written
	text  string // folded
	op    op
	names []name
}

func (t token) isFunction() bool { return t.op == sum || t.op == avg }

func (t token) isTable() bool { return t.table() != nil }

// pick returns the names of a kind.
func (t token) pick(k Kind) []name {
	return slices.DeleteFunc(slices.Clone(t.names), func(n name) bool { return n.kind != k })
}

// table returns the table that a token names; nil if it names several, or amounts as well: premiums
// may be the table, or what policies cost.
func (t token) table() *Table {
	found := t.pick(rows)
	if len(found) != 1 || len(t.pick(amount)) > 0 {
		return nil
	}
	return found[0].table
}

var (
	wordPattern = regexp.MustCompile(
		`[\pL\d](?:[\pL\d.,\-/'’@&]*[\pL\d%])?|[<>]=?|[^\s\pL\d?!.;:¿¡"'()_]`,
	)
	unaccented = strings.NewReplacer(strings.Fields("á a é e í i ó o ú u ü u ñ n ö o ä a ß ss")...)
)

// fold returns the words of a text as they are compared: in lower case and without accents.
func fold(s string) string {
	return unaccented.Replace(strings.ToLower(strings.Join(wordPattern.FindAllString(s, -1), " ")))
}

// maxPhrase is how many words a phrase or a value has at most.
const maxPhrase = 7

// lex divides a question about some tables into the longest phrases that mean something, and leaves
// out fillers.
func (s *Schema) lex(question string, tables []string) []token {
	words := wordPattern.FindAllString(question, -1)
	var out []token
	for len(words) > 0 {
		t, length := s.longest(words, tables)
		if t.op != filler || len(t.names) > 0 {
			out = append(out, t)
		}
		words = words[length:]
	}

	return out
}

// longest returns the longest phrase at the beginning of words, and how many words it has. What is
// also a value, such as the country code IN, is never the value; in capitals, or where the word
// would say nothing, it might be.
func (s *Schema) longest(words, tables []string) (token, int) {
	for n := min(maxPhrase, len(words)); n > 0; n-- {
		said := strings.Join(words[:n], " ")
		text := fold(said)
		t := token{said: said, text: text, op: phrases()[text]}
		t.names = slices.DeleteFunc(slices.Clone(s.index[text]), func(n name) bool {
			return !slices.Contains(tables, n.table.Name)
		})
		if t.op != "" && len(t.pick(value)) > 0 {
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
