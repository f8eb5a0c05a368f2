package grammar

import (
	"slices"
	"strings"
)

// name is something that a word of a question may mean: a table, a column, or a value.
type name struct {
	field        // c is nil: the table
	value string // "": the column
}

// names returns what the words of the schema mean, by their folded spelling.
func (s *Schema) names() map[string][]name {
	s.once.Do(s.readNames)
	return s.index
}

func (s *Schema) readNames() {
	s.index = map[string][]name{}
	s.parts = map[string]bool{}
	for i := range s.Tables {
		t := &s.Tables[i]
		s.addName(name{field: field{t: t}}, strings.ReplaceAll(t.Bare, "_", " "))
		s.addName(name{field: field{t: t}}, t.Aliases...)
	}

	for i := range s.Tables {
		for _, f := range s.Tables[i].fields() {
			s.addName(name{field: f}, f.spokenNames()...)
			for _, v := range f.c.Values {
				s.addName(name{f, v}, append(f.c.Words[v], v)...)
				words := strings.Fields(fold(v))
				for _, w := range words {
					s.parts[w] = s.parts[w] || len(words) > 1
				}
			}
		}
	}
}

// addName enters the spellings of a name. The date of an order is not called order: that is the table.
func (s *Schema) addName(n name, spellings ...string) {
	for _, spelling := range spellings {
		date := n.c != nil && n.isDate()
		if date &&
			slices.ContainsFunc(s.index[fold(spelling)], func(o name) bool { return o.c == nil }) {
			continue
		}
		for _, form := range Forms(fold(spelling)) {
			if form != "" && !slices.Contains(s.index[form], n) {
				s.index[form] = append(s.index[form], n)
			}
		}
	}
}

// units are the last words of columns that nobody says.
var units = strings.Fields("date on at percent pct eur usd c")

// spokenNames returns what people call a column: claimed_cents is the claimed amount, annual_km the km,
// and what has an order_date was ordered.
func (f field) spokenNames() []string {
	full := strings.ReplaceAll(f.bare(), "_", " ")
	out := append([]string{full}, f.c.Aliases...)
	if f.isCents() {
		out = append(out, full+" amount")
	}

	i := max(strings.LastIndexByte(full, ' '), 0)
	stem := full[:i]
	last := full[i:]
	switch {
	case !slices.Contains(units, last[min(i, 1):]):
		if f.isMeasure() {
			out = append(out, last)
		}
	case f.isDate():
		out = append(out, stem, strings.TrimSuffix(stem, "e")+"ed")
	default:
		out = append(out, stem)
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
