package grammar

import (
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

// bare is the column's name without its unit.
func (f field) bare() string { return strings.TrimSuffix(strings.ToLower(f.c.Name), "_cents") }

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
	return f.isMeasure() && !slices.ContainsFunc(strings.Split(f.bare(), "_"), isRate)
}

// name is something that a word of a question may mean: a table, a column, or a value.
type name struct {
	field        // c is nil: the table
	value string // "": the column
}

func (s *Schema) readColumn(f field) {
	s.addName(name{field: f}, f.spokenNames()...)
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

// spokenNames returns what people call a column: claimed_cents is the claimed amount, annual_km the km,
// and what has a day reported_on was reported.
func (f field) spokenNames() []string {
	full := strings.ReplaceAll(f.bare(), "_", " ")
	out := append([]string{full}, f.c.Aliases...)
	if f.isCents() {
		out = append(out, full+" amount")
	}

	words := strings.Fields(full)
	if len(words) < 2 {
		return out
	}
	unit := words[len(words)-1]
	switch {
	case slices.Contains([]string{"on", "at", "percent", "pct", "eur", "usd", "c"}, unit):
		out = append(out, strings.TrimSuffix(full, " "+unit))
	case f.isMeasure():
		out = append(out, unit)
	}

	return out
}

// Forms returns a word with its plurals and, of Spanish adjectives, genders. The first is the word
// itself.
func Forms(word string) []string {
	stem, plural := strings.CutSuffix(word, "s")
	switch {
	case len(word) < 3:
		return []string{word}
	case strings.HasSuffix(word, "ies"):
		return []string{word, strings.TrimSuffix(word, "ies") + "y"}
	case plural && !strings.HasSuffix(stem, "s") && !strings.HasSuffix(stem, "u"):
		if singular, ok := strings.CutSuffix(stem, "e"); ok {
			return []string{word, stem, singular}
		}
		return []string{word, stem}
	case strings.HasSuffix(word, "y"):
		return []string{word, strings.TrimSuffix(word, "y") + "ies"}
	case strings.HasSuffix(word, "o"):
		stem = strings.TrimSuffix(word, "o")
		return []string{word, word + "s", stem + "a", stem + "as"}
	}

	return []string{word, word + "s", word + "es"}
}
