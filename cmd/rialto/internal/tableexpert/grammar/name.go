package grammar

import (
	"regexp"
	"slices"
	"strings"

	"rialto/cmd/rialto/internal/tableexpert/sqlbox"
)

// name is what a word of a question may mean: a table, a column, or a value.
type name struct {
	kind   Kind
	table  *Table
	column *Column // nil of a table
	value  string
}

func (n name) sql() string { return n.table.Name + "." + sqlbox.Spelled(n.column.Name) }

func (n name) String() string { return n.table.Bare + "." + n.column.Name }

// isCents reports whether the column holds hundredths.
func (n name) isCents() bool { return strings.HasSuffix(strings.ToLower(n.column.Name), "_cents") }

var (
	// unit ends the names of columns: claimed_cents are what was claimed, and what has a day
	// reported_on was reported.
	unit = regexp.MustCompile(`(?i)_(cents|percent|pct|eur|usd|c|on|at)$`)

	// relation is in the names of columns whose last word is not what they hold: cost_per_unit.
	relation = regexp.MustCompile(`(?i)_(per|in|of|to|by|at)_`)

	// identifier is in the names of columns of identifiers and years.
	identifier = regexp.MustCompile(`(?i)^id_|(^|_)(id|no|number|code|zip|phone|year)$`)

	// rate is in the names of columns whose sums mean nothing.
	rate = regexp.MustCompile(
		`(?i)(^|_)(ratio|percent|pct|rate|average|avg|score|rating|temperature|humidity|price|age|c)(_|$)`,
	)
)

// isAmount reports whether it is a column of numbers that are no identifiers.
func (n name) isAmount() bool {
	called := n.column.Name
	if n.kind != Number || called == n.table.Key || identifier.MatchString(called) {
		return false
	}
	refers := func(r Ref) bool { return strings.EqualFold(r.Column, called) }
	return !slices.ContainsFunc(n.table.Refs, refers)
}

// addColumn enters a column and its values. An amount is also called by its last word, which may be
// the name of a table: premiums by year may be annual premiums.
func (s *Schema) addColumn(t *Table, c *Column) {
	n := name{kind: c.Kind, table: t, column: c}
	spellings := append(c.Aliases, unit.ReplaceAllString(c.Name, ""))
	if n.isAmount() {
		n.kind = amount
		whole := strings.TrimSuffix(c.Name, "_cents")
		if !unit.MatchString(whole) && !relation.MatchString(whole) {
			spellings = append(spellings, whole[strings.LastIndex(whole, "_")+1:])
		}
	}
	s.addName(n, spellings)

	n.kind = value
	for _, n.value = range c.Values {
		s.addName(n, append(c.Words[n.value], n.value))
		words := strings.Fields(fold(n.value))
		for _, w := range words {
			s.parts[w] = s.parts[w] || len(words) > 1
		}
	}
}

// addName enters the spellings of a name.
func (s *Schema) addName(n name, spellings []string) {
	for _, spelling := range spellings {
		for _, form := range Forms(fold(spelling)) {
			if !slices.Contains(s.index[form], n) {
				s.index[form] = append(s.index[form], n)
			}
		}
	}
}

// endings are endings of words, each with those of its other forms.
var endings = strings.Fields("ies/y ss/sses us/uses es/e/ s/ y/ies o/os/a/as /s/es")

// Forms returns a word with its plurals and, of Spanish adjectives, genders. The first is the word
// itself.
func Forms(word string) []string {
	for _, e := range endings {
		forms := strings.Split(e, "/")
		stem, ok := strings.CutSuffix(word, forms[0])
		if !ok || len(word) < 3 {
			continue
		}
		for i, ending := range forms {
			forms[i] = stem + ending
		}
		return forms
	}
	return []string{word}
}
