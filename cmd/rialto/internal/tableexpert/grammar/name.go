package grammar

import (
	"regexp"
	"slices"
	"strings"
)

// field is a column of a table.
type field struct {
	t *Table
	c *Column
}

func (f field) sql() string { return f.t.Name + "." + quoted(f.c.Name) }

func (f field) String() string { return f.t.Bare + "." + f.c.Name }

// isCents reports whether the column holds hundredths.
func (f field) isCents() bool { return strings.HasSuffix(strings.ToLower(f.c.Name), "_cents") }

// unit ends the names of columns: claimed_cents are what was claimed, and what has a day reported_on
// was reported.
var unit = regexp.MustCompile(`_(cents|percent|pct|eur|usd|c|on|at)$`)

// bare is the column's name without its unit.
func (f field) bare() string { return unit.ReplaceAllString(strings.ToLower(f.c.Name), "") }

func (f field) isDate() bool { return f.c.Kind == Date }

func (f field) isText() bool { return f.c.Kind == Text }

// isMeasure reports whether the column holds amounts, not identifiers or years.
func (f field) isMeasure() bool {
	words := strings.Split(f.bare(), "_")
	numbering := []string{"id", "no", "number", "code", "zip", "phone", "year"}
	switch {
	case f.c.Kind != Number, strings.EqualFold(f.c.Name, f.t.Key):
		return false
	case words[0] == "id", slices.Contains(numbering, words[len(words)-1]):
		return false
	}

	return !slices.ContainsFunc(
		f.t.Refs, func(r Ref) bool { return strings.EqualFold(r.Column, f.c.Name) },
	)
}

// rates are the words of columns whose sums mean nothing.
var rates = strings.Fields(
	"ratio percent pct rate average avg score rating temperature humidity price age c",
)

// isSummable reports whether the column holds amounts whose sums mean something.
func (f field) isSummable() bool {
	isRate := func(word string) bool { return slices.Contains(rates, word) }
	return f.isMeasure() && !slices.ContainsFunc(strings.Split(strings.ToLower(f.c.Name), "_"), isRate)
}

// name is something that a word of a question may mean: a table, a column, or a value.
type name struct {
	field        // c is nil: the table
	value string // "": the column
}

func (s *Schema) readColumn(f field) {
	s.addName(name{field: f}, append(f.c.Aliases, strings.ReplaceAll(f.bare(), "_", " "))...)
	for _, v := range f.c.Values {
		s.addName(name{f, v}, append(f.c.Words[v], v)...)
		words := strings.Fields(fold(v))
		for _, w := range words {
			s.parts[w] = s.parts[w] || len(words) > 1
		}
	}
}

// addName enters the spellings of a name.
func (s *Schema) addName(n name, spellings ...string) {
	for _, spelling := range spellings {
		for _, form := range Forms(fold(spelling)) {
			if form != "" && !slices.Contains(s.index[form], n) {
				s.index[form] = append(s.index[form], n)
			}
		}
	}
}

// endings are endings of words, each with those that replace it in other forms.
var endings = [][]string{
	{"ies", "y"},
	{"ss", "sses"},
	{"us", "uses"},
	{"es", "e", ""},
	{"s", ""},
	{"y", "ies"},
	{"o", "os", "a", "as"},
	{"", "s", "es"},
}

// Forms returns a word with its plurals and, of Spanish adjectives, genders. The first is the word
// itself.
func Forms(word string) []string {
	forms := []string{word}
	if len(word) < 3 {
		return forms
	}
	i := slices.IndexFunc(endings, func(e []string) bool { return strings.HasSuffix(word, e[0]) })
	stem := strings.TrimSuffix(word, endings[i][0])
	for _, ending := range endings[i][1:] {
		forms = append(forms, stem+ending)
	}
	return forms
}
