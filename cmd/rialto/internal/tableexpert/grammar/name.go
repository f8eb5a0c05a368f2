package grammar

import (
	"regexp"
	"slices"
	"strings"
)

// name is what a word of a question may mean: a table, a column, or a value.
type name struct {
	table  *Table
	column *Column // nil: the table
	value  string  // "": the column
}

func (n name) sql() string { return n.table.Name + "." + quoted(n.column.Name) }

func (n name) String() string { return n.table.Bare + "." + n.column.Name }

// is reports whether it is a column of a kind.
func (n name) is(k Kind) bool { return n.column != nil && n.value == "" && n.column.Kind == k }

func (n name) isText() bool { return n.is(Text) }

func (n name) isDate() bool { return n.is(Date) }

func (n name) isValue() bool { return n.value != "" }

// isCents reports whether the column holds hundredths.
func (n name) isCents() bool { return strings.HasSuffix(strings.ToLower(n.column.Name), "_cents") }

var (
	// unit ends the names of columns: claimed_cents are what was claimed, and what has a day
	// reported_on was reported.
	unit = regexp.MustCompile(`_(cents|percent|pct|eur|usd|c|on|at)$`)

	// identifier is in the names of columns of identifiers and years.
	identifier = regexp.MustCompile(`(?i)^id_|(^|_)(id|no|number|code|zip|phone|year)$`)

	// rate is in the names of columns whose sums mean nothing.
	rate = regexp.MustCompile(
		`(?i)(^|_)(ratio|percent|pct|rate|average|avg|score|rating|temperature|humidity|price|age|c)(_|$)`,
	)
)

// bare is the column's name without its unit.
func (n name) bare() string { return unit.ReplaceAllString(strings.ToLower(n.column.Name), "") }

// isMeasure reports whether it is a column of amounts.
func (n name) isMeasure() bool {
	if !n.is(Number) || n.column.Name == n.table.Key || identifier.MatchString(n.column.Name) {
		return false
	}
	return !slices.ContainsFunc(n.table.Refs, func(r Ref) bool {
		return strings.EqualFold(r.Column, n.column.Name)
	})
}

func (s *Schema) readColumn(n name) {
	s.addName(n, append(n.column.Aliases, n.bare()))
	for _, v := range n.column.Values {
		n.value = v
		s.addName(n, append(n.column.Words[v], v))
		words := strings.Fields(fold(v))
		for _, w := range words {
			s.parts[w] = s.parts[w] || len(words) > 1
		}
	}
}

// addName enters the spellings of a name.
func (s *Schema) addName(n name, spellings []string) {
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
