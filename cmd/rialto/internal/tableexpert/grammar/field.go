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

func (t *Table) fields() []field {
	out := make([]field, len(t.Columns))
	for i := range t.Columns {
		out[i] = field{t, &t.Columns[i]}
	}
	return out
}

func (f field) sql() string { return f.t.Name + "." + quoted(f.c.Name) }

func (f field) String() string { return f.t.Bare + "." + f.c.Name }

func (f field) words() []string { return strings.Split(strings.ToLower(f.c.Name), "_") }

// isCents reports whether the column holds hundredths.
func (f field) isCents() bool { return strings.HasSuffix(strings.ToLower(f.c.Name), "_cents") }

// bare is the column's name without its unit.
func (f field) bare() string { return strings.TrimSuffix(strings.ToLower(f.c.Name), "_cents") }

func (f field) isDate() bool { return f.c.Kind == Date }

func (f field) isText() bool { return f.c.Kind == Text }

// isMeasure reports whether the column holds amounts, not identifiers or years.
func (f field) isMeasure() bool {
	words := f.words()
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
	rate := slices.ContainsFunc(f.words(), func(w string) bool { return slices.Contains(rates, w) })
	return f.isMeasure() && !rate
}

// periodWords are parts of the names of dates on which something begins or ends.
var periodWords = strings.Fields(
	"start end since from until valid expir birth hire termination signup joined " +
		"built founded created",
)

// eventDate is the date that "in 2025" is about: the first one of a table whose rows happen once. Rows
// that last, such as contracts with a start and an end, have none: c is nil.
func (t *Table) eventDate() field {
	var found field
	for _, f := range t.fields() {
		name := strings.ToLower(f.c.Name)
		lasts := slices.ContainsFunc(
			periodWords, func(part string) bool { return strings.Contains(name, part) },
		)
		switch {
		case !f.isDate():
		case lasts:
			return field{}
		case found.c == nil:
			found = f
		}
	}

	return found
}

var labels = []string{"code", "title", "number", "label"}

// identity returns the columns that tell the rows of a table apart: the key, and the name by which
// people know a row.
func (t *Table) identity() []field {
	var key, label []field
	for _, f := range t.fields() {
		switch name := strings.ToLower(f.c.Name); {
		case f.c.Name == t.Key:
			key = append(key, f)
		case strings.HasSuffix(name, "name"), slices.Contains(labels, name):
			label = append(label, f)
		}
	}

	if len(key) == 0 {
		return nil
	}

	return append(key, label[:min(len(label), 1)]...)
}
